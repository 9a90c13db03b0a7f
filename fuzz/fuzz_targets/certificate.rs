//! Any bytes are read as a certificate or refused with an error. A certificate that is read returns
//! from its own text, and the margins of one that passes the check contain the true one.
#![no_main]

use std::fs::{self, File};
use std::path::Path;

use kalah_check::Certificate;
use kalah_fuzz::check_margins;
use libfuzzer_sys::fuzz_target;

fn read(path: &Path) -> Option<Certificate> {
    match Certificate::read(path) {
        Ok(certificate) => Some(certificate),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("some.certificate");
    fs::write(&path, bytes).expect("it is written");
    let Some(certificate) = read(&path) else {
        return;
    };
    let copy = folder.path().join("copy.certificate");
    let written = certificate.write(File::create(&copy).expect("a file"));
    written.expect("it is written");
    let again = read(&copy).expect("the same certificate");
    assert_eq!(again.goals(), certificate.goals());
    assert_eq!(
        again.statement().position(),
        certificate.statement().position()
    );
    check_margins(&certificate);
});
