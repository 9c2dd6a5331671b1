//! Runs C and C++ compilers on small programs, every warning being an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use pfring_headers::root;

/// A compiler of this machine.
pub struct Compiler {
    name: &'static str,
    /// Whether it is one for C++.
    pub plus_plus: bool,
}

/// The compilers of this machine. gcc and g++ must be there; clang is welcome.
pub fn compilers() -> impl Iterator<Item = Compiler> {
    const ALL: [(&str, bool, bool); 4] = [
        ("gcc", false, true),
        ("g++", true, true),
        ("clang", false, false),
        ("clang++", true, false),
    ];
    ALL.into_iter().filter_map(|(name, plus_plus, required)| {
        let found = Compiler::find(name, plus_plus);
        assert!(found.is_some() || !required, "{name} is needed");
        found
    })
}

impl Compiler {
    /// The compiler of this name, if it can be run.
    pub fn find(name: &'static str, plus_plus: bool) -> Option<Self> {
        let found = Command::new(name).arg("--version").output().is_ok();
        found.then_some(Self { name, plus_plus })
    }

    /// Compiles a text with these flags; it must pass without a warning.
    pub fn check(&self, what: &str, source: &str, flags: &[&str]) {
        let file = self.write(what, source);
        self.compile(&file, source, &[flags, &["-fsyntax-only"]].concat());
    }

    /// Compiles a text, runs it, and gives what it prints; it must end with success.
    pub fn run(&self, what: &str, source: &str, flags: &[&str]) -> String {
        let file = self.write(what, source);
        let program = file.with_extension("exe");
        let output = program.to_str().expect("a path in UTF-8");
        self.compile(&file, source, &[flags, &["-o", output]].concat());
        let out = Command::new(&program)
            .output()
            .expect("the compiled program");
        let text = String::from_utf8(out.stdout).expect("text");
        assert!(out.status.success(), "{what}: {text}");
        text
    }

    /// Puts a text into a file of its own: the tests run at once.
    fn write(&self, what: &str, source: &str) -> PathBuf {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name);
        fs::create_dir_all(&folder).expect("a scratch folder");
        let file = folder.join(format!("{what}_{number}.c"));
        fs::write(&file, source).expect("a scratch file");
        file
    }

    fn compile(&self, file: &Path, source: &str, flags: &[&str]) {
        let mut command = Command::new(self.name);
        command
            .args(["-Wall", "-Wextra", "-Werror", "-I"])
            .arg(root().join("include"));
        command.args(flags);
        if self.plus_plus {
            command.args(["-x", "c++"]);
        }
        let out = command.arg(file).output().expect("the compiler");
        let errors = String::from_utf8_lossy(&out.stderr);
        let good = out.status.success() && errors.is_empty();
        assert!(good, "{} {flags:?}\n{source}\n{errors}", self.name);
    }
}
