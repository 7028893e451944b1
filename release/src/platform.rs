//! The platforms that releases are made for, and what each shop calls them.

/// A platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Our own name for it, as `cue upgrade` asks for it.
    pub name: &'static str,
    /// What Rust calls it.
    pub target: &'static str,
    /// npm's `os`, `cpu` and, on Linux, `libc`.
    pub npm: (&'static str, &'static str, Option<&'static str>),
    /// The tag of a wheel; `None` where the C library that the program needs decides.
    pub wheel: Option<&'static str>,
    /// What Debian and Red Hat call the processor; `None` where they have no package.
    pub linux_arch: Option<(&'static str, &'static str)>,
}

impl Platform {
    /// Every platform.
    pub const ALL: &'static [Platform] = &[
        Platform {
            name: "x86_64-linux",
            target: "x86_64-unknown-linux-gnu",
            npm: ("linux", "x64", Some("glibc")),
            wheel: None,
            linux_arch: Some(("amd64", "x86_64")),
        },
        Platform {
            name: "aarch64-linux",
            target: "aarch64-unknown-linux-gnu",
            npm: ("linux", "arm64", Some("glibc")),
            wheel: None,
            linux_arch: Some(("arm64", "aarch64")),
        },
        Platform {
            name: "x86_64-linux-musl",
            target: "x86_64-unknown-linux-musl",
            npm: ("linux", "x64", Some("musl")),
            wheel: Some("musllinux_1_2_x86_64"),
            linux_arch: None,
        },
        Platform {
            name: "aarch64-linux-musl",
            target: "aarch64-unknown-linux-musl",
            npm: ("linux", "arm64", Some("musl")),
            wheel: Some("musllinux_1_2_aarch64"),
            linux_arch: None,
        },
        Platform {
            name: "x86_64-macos",
            target: "x86_64-apple-darwin",
            npm: ("darwin", "x64", None),
            wheel: Some("macosx_10_12_x86_64"),
            linux_arch: None,
        },
        Platform {
            name: "aarch64-macos",
            target: "aarch64-apple-darwin",
            npm: ("darwin", "arm64", None),
            wheel: Some("macosx_11_0_arm64"),
            linux_arch: None,
        },
        Platform {
            name: "x86_64-windows",
            target: "x86_64-pc-windows-msvc",
            npm: ("win32", "x64", None),
            wheel: Some("win_amd64"),
            linux_arch: None,
        },
    ];

    /// The platform of a name, ours or Rust's.
    pub fn named(name: &str) -> Option<Platform> {
        Platform::ALL.iter().copied().find(|platform| platform.name == name || platform.target == name)
    }

    /// Whether programs end in `.exe` and archives are zip files.
    pub fn is_windows(self) -> bool {
        self.npm.0 == "win32"
    }

    /// The file of a program.
    pub fn file(self, program: &str) -> String {
        if self.is_windows() { format!("{program}.exe") } else { program.to_owned() }
    }

    /// The name of npm's package for it, without the scope.
    pub fn npm_name(self) -> String {
        let (os, cpu, libc) = self.npm;
        let libc = if libc == Some("musl") { "-musl" } else { "" };
        format!("{os}-{cpu}{libc}")
    }
}
