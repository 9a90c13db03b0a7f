use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// A thread that does what it was asked last, and gives up what it was asked before.
pub(super) struct Worker<T> {
    tasks: Sender<(u64, T)>,
    /// The number of the task that is wanted.
    current_task: Arc<AtomicU64>,
    /// Set when the task under way is to come to an end.
    stop_flag: Arc<AtomicBool>,
    /// The number of the task that is wanted at once.
    hurried_task: Arc<AtomicU64>,
}

impl<T: Send + 'static> Worker<T> {
    /// One that does `work`, which heeds `flag`; if it panics, `fail` is told why.
    pub(super) fn spawn(
        name: &str,
        flag: Arc<AtomicBool>,
        mut work: impl FnMut(T) + Send + 'static,
        fail: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<Self> {
        let (tasks, asked) = channel::<(u64, T)>();
        let wanted = Arc::new(AtomicU64::new(0));
        let hurried = Arc::new(AtomicU64::new(0));
        let worker = Self {
            tasks,
            current_task: Arc::clone(&wanted),
            stop_flag: Arc::clone(&flag),
            hurried_task: Arc::clone(&hurried),
        };
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let works = AssertUnwindSafe(|| {
                    for (number, task) in asked {
                        // In this order: a task that is given up or hurried after this sets the flag again.
                        flag.store(false, Ordering::SeqCst);
                        if hurried.load(Ordering::SeqCst) == number {
                            flag.store(true, Ordering::SeqCst);
                        }
                        if wanted.load(Ordering::SeqCst) == number {
                            work(task);
                        }
                    }
                });
                if let Err(reason) = catch_unwind(works) {
                    fail(panic_message(&*reason));
                }
            })?;
        Ok(worker)
    }

    pub(super) fn submit(&self, task: T) {
        let number = self.cancel();
        // One that has failed has said so.
        let _ = self.tasks.send((number, task));
    }

    /// Gives up what is under way.
    pub(super) fn cancel(&self) -> u64 {
        let number = self.current_task.fetch_add(1, Ordering::SeqCst) + 1;
        self.stop_flag.store(true, Ordering::SeqCst);
        number
    }

    /// Wants what was asked last at once, whether it is under way yet or not.
    pub(super) fn hurry(&self) {
        let number = self.current_task.load(Ordering::SeqCst);
        self.hurried_task.store(number, Ordering::SeqCst);
        self.stop_flag.store(true, Ordering::SeqCst);
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.current_task.fetch_add(1, Ordering::SeqCst);
        self.stop_flag.store(true, Ordering::SeqCst);
    }
}

fn panic_message(reason: &(dyn Any + Send)) -> String {
    let text = reason.downcast_ref::<&str>().copied();
    let text = text.or_else(|| reason.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("for no reason that it tells").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// Far more than a thread takes to be told anything.
    const PATIENCE: Duration = Duration::from_mins(5);

    #[test]
    fn what_is_given_up_ends_and_the_next_task_is_done() {
        let flag = Arc::new(AtomicBool::new(false));
        let (done, told) = mpsc::channel();
        let heeded = Arc::clone(&flag);
        let work = move |task: u32| {
            done.send(("begun", task)).expect("somebody listens");
            while task == 1 && !heeded.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            done.send(("done", task)).expect("somebody listens");
        };
        let worker = Worker::spawn("test", flag, work, |_| {}).expect("a thread");
        worker.submit(1);
        assert_eq!(told.recv_timeout(PATIENCE), Ok(("begun", 1)));
        worker.submit(2);
        for expected in [("done", 1), ("begun", 2), ("done", 2)] {
            assert_eq!(told.recv_timeout(PATIENCE), Ok(expected));
        }
    }

    #[test]
    fn what_is_hurried_before_it_is_taken_up_is_hurried() {
        let flag = Arc::new(AtomicBool::new(false));
        let (done, told) = mpsc::channel();
        let (let_on, waits) = mpsc::channel();
        let heeded = Arc::clone(&flag);
        let work = move |task: u32| {
            done.send((task, false)).expect("somebody listens");
            waits.recv().expect("it is let on");
            let is_hurried = heeded.load(Ordering::SeqCst);
            done.send((task, is_hurried)).expect("somebody listens");
        };
        let worker = Worker::spawn("test", flag, work, |_| {}).expect("a thread");
        worker.submit(1);
        assert_eq!(told.recv_timeout(PATIENCE), Ok((1, false)));
        worker.submit(2);
        worker.hurry();
        worker.submit(3);
        worker.hurry();
        for _ in 0..3 {
            let_on.send(()).expect("it waits");
        }
        // What was given up is not begun.
        for expected in [(1, true), (3, false), (3, true)] {
            assert_eq!(told.recv_timeout(PATIENCE), Ok(expected));
        }
    }

    #[test]
    fn a_panic_is_told() {
        let (fails, told) = mpsc::channel();
        let work = |number: u32| assert_eq!(number, 1, "this is no one");
        let fail = move |reason| fails.send(reason).expect("somebody listens");
        let worker = Worker::spawn("test", Arc::default(), work, fail).expect("a thread");
        worker.submit(2);
        let reason = told.recv_timeout(PATIENCE).expect("it fails");
        assert!(reason.contains("this is no one"), "{reason}");
    }
}
