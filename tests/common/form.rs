//! The two forms of a case: the short one of every test run, and the full one with the limits as
//! the case gives them. Limits on CPU and latency are five times wider in the short form; counts,
//! bytes and order are the same in both.

use std::fmt::Debug;
use std::time::Duration;

/// How a case is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Few rounds, wide limits: part of every test run.
    Short,
    /// All rounds, the limits as given: asked for with `--ignored`.
    Full,
}

impl Form {
    /// A count or a length of time that differs between the forms.
    pub fn pick<T>(self, short: T, full: T) -> T {
        match self {
            Form::Short => short,
            Form::Full => full,
        }
    }

    /// A limit on CPU time or latency, given as in the full form.
    pub fn limit(self, full: Duration) -> Duration {
        full * self.pick(5, 1)
    }

    /// [`Form::limit`] in milliseconds.
    pub fn ms(self, full: u64) -> Duration {
        self.limit(Duration::from_millis(full))
    }

    /// A limit on CPU time given as a share of one core, over `wall`.
    pub fn share(self, full: f64, wall: Duration) -> Duration {
        self.limit(wall.mul_f64(full))
    }
}

/// What a measurement came to: an error says which limit was missed, and by what.
pub type Outcome = Result<(), String>;

/// Compares a measured value with its limit.
pub fn within<T: PartialOrd + Debug>(what: &str, value: T, limit: T) -> Outcome {
    if value <= limit {
        Ok(())
    } else {
        Err(format!("{what}: {value:?}, limit {limit:?}"))
    }
}

/// Runs a measurement up to three times and takes the best: other work on the machine may spoil
/// one round, not three.
#[track_caller]
pub fn best_of_three(mut measure: impl FnMut() -> Outcome) {
    let mut missed = Vec::new();
    for _ in 0..3 {
        match measure() {
            Ok(()) => return,
            Err(text) => {
                eprintln!("missed: {text}");
                missed.push(text);
            }
        }
    }
    panic!("missed three times:\n  {}", missed.join("\n  "));
}

/// Makes the two tests of each case: `short_name, full_name => function(Form)`.
macro_rules! forms {
    ($($(#[$meta:meta])* $short:ident, $full:ident => $case:ident;)*) => {$(
        $(#[$meta])*
        #[test]
        fn $short() {
            $case(crate::common::Form::Short);
        }

        $(#[$meta])*
        #[test]
        #[ignore = "full form, minutes long: cargo test -- --ignored full"]
        fn $full() {
            $case(crate::common::Form::Full);
        }
    )*};
}
pub(crate) use forms;
