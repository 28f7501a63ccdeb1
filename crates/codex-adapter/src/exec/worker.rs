//! The thread that parses and evaluates: a large stack, a time budget, and no way for a script to take it down.
//!
//! One thread serves one script at a time. One that outlives its budget is left behind; as long as two of those are
//! still busy, nothing is read. The parser and the evaluator watch the clock themselves, so that this is the last
//! resort.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::bounds::Bound;
use super::budget::Budget;
use super::eval::{self, Evaluated};
use super::parse::{self, Limits};

/// Stack of the reading thread. Only what is used is ever backed by memory.
const STACK: usize = 256 * 1024 * 1024;
/// How much of it the parser may use; the rest is for walking the tree it made, which takes less.
const PARSER_STACK: usize = 160 * 1024 * 1024;
/// Processor time after which the parser and the evaluator give up. The bounds keep any script well below it.
const BUDGET: Duration = Duration::from_secs(1);
/// After this nobody waits for them any longer: many times the budget, for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many threads may be left behind at once.
const MAX_ABANDONED: usize = 2;

/// Why there is nothing to show.
#[derive(Debug)]
pub(super) enum Failure {
    /// The parser's message.
    Syntax(String),
    Bound(Bound),
}

type Answer = Result<Evaluated, Failure>;

struct Job {
    source: String,
    code_start: usize,
    reply: Sender<Answer>,
}

struct Thread {
    jobs: Sender<Job>,
    handle: JoinHandle<()>,
}

struct Worker {
    thread: Option<Thread>,
    abandoned: Vec<JoinHandle<()>>,
    stack: usize,
}

static WORKER: Mutex<Worker> = Mutex::new(Worker::new(STACK));

/// Parses and evaluates the code of `source` from byte `code_start` on.
pub(super) fn evaluate(source: &str, code_start: usize) -> Answer {
    WORKER.lock().unwrap_or_else(PoisonError::into_inner).run(source, code_start, PATIENCE)
}

impl Worker {
    const fn new(stack: usize) -> Self {
        Self { thread: None, abandoned: Vec::new(), stack }
    }

    fn run(&mut self, source: &str, code_start: usize, patience: Duration) -> Answer {
        self.abandoned.retain(|handle| !handle.is_finished());
        let (reply, answer) = channel();
        let mut job = Job { source: source.to_owned(), code_start, reply };
        // A thread that ended (it never does by itself) is replaced once.
        for _ in 0..2 {
            let Some(thread) = self.thread()? else { return Err(Failure::Bound(Bound::Threads)) };
            match thread.jobs.send(job) {
                Ok(()) => {
                    return match answer.recv_timeout(patience) {
                        Ok(answer) => answer,
                        Err(_) => {
                            self.abandoned.extend(self.thread.take().map(|thread| thread.handle));
                            Err(Failure::Bound(Bound::Time))
                        }
                    };
                }
                Err(unsent) => {
                    job = unsent.0;
                    self.thread = None;
                }
            }
        }
        Err(Failure::Bound(Bound::Threads))
    }

    /// The thread, made when there is none. `None` when too many are left behind.
    fn thread(&mut self) -> Result<Option<&Thread>, Failure> {
        if self.thread.is_none() {
            if self.abandoned.len() >= MAX_ABANDONED {
                return Ok(None);
            }
            let (jobs, inbox) = channel();
            let handle = Builder::new()
                .name("exec-reader".to_owned())
                .stack_size(self.stack)
                .spawn(move || serve(&inbox))
                .map_err(|_| Failure::Bound(Bound::Threads))?;
            self.thread = Some(Thread { jobs, handle });
        }
        Ok(self.thread.as_ref())
    }
}

fn serve(inbox: &Receiver<Job>) {
    let stack_base = parse::stack_address();
    while let Ok(job) = inbox.recv() {
        let limits = Limits { stack_base, stack: PARSER_STACK, budget: Budget::begin(BUDGET) };
        // The parser asserts; what it asserts is never our input's fault alone, but it must not take the thread down.
        let answer = catch_unwind(AssertUnwindSafe(|| answer(&job, limits)));
        // Whoever gave up waiting is gone.
        let _ = job.reply.send(answer.unwrap_or(Err(Failure::Bound(Bound::Parser))));
    }
}

fn answer(job: &Job, limits: Limits) -> Answer {
    let program = parse::parse(&job.source, job.code_start, limits).map_err(|failure| match failure {
        parse::Failure::Syntax(message) => Failure::Syntax(message),
        parse::Failure::Bound(bound) => Failure::Bound(bound),
    })?;
    eval::evaluate(&program, &job.source, limits.budget).map_err(Failure::Bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::bounds::MAX_STEPS;

    /// A script that takes as long as the bounds allow.
    fn slow() -> String {
        let functions = (1..40).map(|n| format!("const f{n} = () => {{ f{0}(); f{0}(); }};\n", n - 1));
        format!("const f0 = () => 1;\n{}f39();", functions.collect::<String>())
    }

    fn bound(answer: &Answer) -> Option<Bound> {
        match answer {
            Err(Failure::Bound(bound)) => Some(*bound),
            Ok(_) | Err(Failure::Syntax(_)) => None,
        }
    }

    #[test]
    fn a_script_nobody_waits_for_is_left_behind_and_two_block_the_reader() {
        let mut worker = Worker::new(STACK);
        for _ in 0..MAX_ABANDONED {
            assert_eq!(bound(&worker.run(&slow(), 0, Duration::ZERO)), Some(Bound::Time));
        }
        assert_eq!(bound(&worker.run("text(1)", 0, PATIENCE)), Some(Bound::Threads));
        // Once they are done, it reads again.
        for handle in worker.abandoned.drain(..) {
            handle.join().unwrap();
        }
        let answer = worker.run("text(1)", 0, PATIENCE).unwrap();
        assert_eq!(answer.prints.len(), 1);
        assert_eq!(bound(&worker.run(&slow(), 0, PATIENCE)), Some(Bound::Steps), "{MAX_STEPS} steps");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_cannot_be_made_is_no_panic() {
        let mut worker = Worker::new(usize::MAX / 4);
        assert_eq!(bound(&worker.run("text(1)", 0, PATIENCE)), Some(Bound::Threads));
    }

    #[test]
    fn many_callers_share_the_thread() {
        let callers: Vec<_> = (0..8)
            .map(|caller| {
                std::thread::spawn(move || {
                    let source = format!("await tools.x({caller});");
                    evaluate(&source, 0).unwrap().calls[0].argument.clone()
                })
            })
            .collect();
        for (caller, thread) in callers.into_iter().enumerate() {
            let argument = thread.join().unwrap();
            assert_eq!(
                argument.value().and_then(|value| value.as_json()),
                Some(&serde_json::Value::from(caller))
            );
        }
    }
}
