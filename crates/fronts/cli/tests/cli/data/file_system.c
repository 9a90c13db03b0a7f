// A library that is loaded before the C library. Each function that the variable UNSUPPORTED names
// fails as on a file system without it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Returns whether the word is one of UNSUPPORTED, and sets the error.
static int is_unsupported(const char *word, int error) {
    const char *words = getenv("UNSUPPORTED");
    if (words == NULL || strstr(words, word) == NULL) {
        return 0;
    }
    errno = error;
    return 1;
}

int flock(int file, int operation) {
    if (is_unsupported("flock-enosys", ENOSYS) || is_unsupported("flock-eopnotsupp", EOPNOTSUPP) ||
        is_unsupported("flock-enolck", ENOLCK)) {
        return -1;
    }
    int (*next)(int, int) = dlsym(RTLD_NEXT, "flock");
    return next(file, operation);
}

int fsync(int file) {
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode) &&
        is_unsupported("sync-of-folders", EINVAL)) {
        return -1;
    }
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    return next(file);
}

int fchmod(int file, mode_t mode) {
    if (is_unsupported("permissions", EPERM)) {
        return -1;
    }
    int (*next)(int, mode_t) = dlsym(RTLD_NEXT, "fchmod");
    return next(file, mode);
}
