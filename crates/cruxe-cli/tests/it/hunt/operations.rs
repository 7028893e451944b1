//! What happens to a repository in a week, and what people only do on purpose.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::Hunt;
use crate::support::run;

pub(super) const FOLDERS: [&str; 5] = ["src", "src/deep", "lib", "pkg", "pkg/in/ner"];
const BRANCHES: [&str; 3] = ["main", "feat/one", "two"];

impl Hunt<'_> {
    fn name(&mut self) -> String {
        self.next_name += 1;
        let name = format!("f_{:07}", self.next_name);
        self.names.push(name.clone());
        name
    }

    /// A text that defines a new name; each is as long as the others.
    fn text(&mut self) -> String {
        format!("def {}():\n    return 1\n", self.name())
    }

    fn pick(&mut self, among: &[String]) -> Option<String> {
        (!among.is_empty()).then(|| among[self.random.below(among.len() as u64) as usize].clone())
    }

    /// The files and the folders that there are, without git's own.
    fn there(&self) -> (Vec<String>, Vec<String>) {
        let (mut files, mut folders, mut pending) = (Vec::new(), Vec::new(), vec![String::new()]);
        while let Some(folder) = pending.pop() {
            let Ok(entries) = fs::read_dir(self.repo.root.join(&folder)) else { continue };
            for entry in entries.flatten().filter(|entry| entry.file_name() != ".git") {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(path.clone());
                    pending.push(path);
                } else if kind.is_file() && path.ends_with(".py") {
                    files.push(path);
                }
            }
        }
        files.sort();
        folders.sort();
        (files, folders)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.repo.root.join(path)
    }

    /// Writes into a file as it is.
    fn overwrite(&self, path: &PathBuf, text: &str) {
        let file = fs::OpenOptions::new().write(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).unwrap();
    }

    /// Runs git; what it refuses does not matter.
    fn git(&mut self, arguments: &[&str]) {
        self.log.push(format!("git {}", arguments.join(" ")));
        run(self.sandbox.command("git").current_dir(&self.repo.root).args(arguments));
    }

    fn new_path(&mut self) -> String {
        let folder = match self.random.below(4) {
            0 => format!("new{}", self.random.below(6)),
            _ => FOLDERS[self.random.below(FOLDERS.len() as u64) as usize].to_owned(),
        };
        let _ = fs::create_dir_all(self.at(&folder));
        format!("{folder}/m{}.py", self.random.below(60))
    }

    /// Does something.
    pub(super) fn operate(&mut self) {
        let (files, folders) = self.there();
        let file = self.pick(&files).unwrap_or_else(|| "src/m0.py".to_owned());
        match self.random.below(10) {
            0..=3 => self.edit(&file),
            4 | 5 => self.rearrange(&file, &folders),
            6 => self.deceive(&file),
            7 => self.rules(&file, &folders),
            _ => self.version_control(&file),
        }
    }

    /// What editors and people do to a file.
    fn edit(&mut self, file: &str) {
        let (path, text) = (self.at(file), self.text());
        let exists = path.is_file();
        match self.random.below(9) {
            0 => {
                let new = self.new_path();
                self.log.push(format!("write {new}"));
                let _ = fs::write(self.at(&new), text);
            }
            1 if exists => {
                self.log.push(format!("save {file} by rename"));
                let beside = path.with_extension("swp");
                fs::write(&beside, text).unwrap();
                fs::rename(beside, path).unwrap();
            }
            2 if exists => {
                self.log.push(format!("append to {file}"));
                fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
            }
            3 if exists => {
                self.log.push(format!("empty {file}"));
                fs::write(path, "").unwrap();
            }
            4 if exists => {
                self.log.push(format!("cut {file} to one function"));
                let whole = fs::read_to_string(&path).unwrap_or_default();
                let length = whole.match_indices("return 1\n").next().map_or(0, |(at, found)| at + found.len());
                fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length as u64).unwrap();
            }
            5 if exists => {
                self.log.push(format!("chmod {file}"));
                let mode = if self.random.below(2) == 0 { 0o644 } else { 0o755 };
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            6 => {
                self.log.push("write ten files at once".to_owned());
                for _ in 0..10 {
                    let (new, text) = (self.new_path(), self.text());
                    let _ = fs::write(self.at(&new), text);
                }
            }
            7 => {
                self.log.push("let time pass".to_owned());
                std::thread::sleep(Duration::from_millis(150));
            }
            _ if exists => {
                self.log.push(format!("overwrite {file}"));
                fs::write(path, text).unwrap();
            }
            _ => {}
        }
    }

    /// What moves, goes and comes.
    fn rearrange(&mut self, file: &str, folders: &[String]) {
        let path = self.at(file);
        let folder = self.pick(folders).unwrap_or_else(|| "src".to_owned());
        match self.random.below(10) {
            0 => {
                self.log.push(format!("delete {file}"));
                let _ = fs::remove_file(path);
            }
            1 | 2 => {
                let new = self.new_path();
                self.log.push(format!("rename {file} to {new}"));
                let _ = fs::rename(path, self.at(&new));
            }
            3 => {
                let new = format!("moved{}", self.random.below(4));
                self.log.push(format!("rename folder {folder} to {new}"));
                let _ = fs::rename(self.at(&folder), self.at(&new));
            }
            4 => {
                self.log.push(format!("delete folder {folder}"));
                let _ = fs::remove_dir_all(self.at(&folder));
            }
            5 => {
                self.log.push(format!("make folder {folder} again"));
                let text = self.text();
                let _ = fs::remove_dir_all(self.at(&folder));
                let _ = fs::create_dir_all(self.at(&folder));
                let _ = fs::write(self.at(&format!("{folder}/m0.py")), text);
            }
            6 => {
                self.log.push(format!("a folder in the place of {file}, and back"));
                let text = self.text();
                let _ = fs::remove_file(&path);
                let _ = fs::create_dir_all(path.join("in"));
                let _ = fs::write(path.join("in/inner.py"), &text);
                self.question();
                let _ = fs::remove_dir_all(&path);
                let _ = fs::write(path, text);
            }
            7 => {
                self.log.push(format!("swap {file} and src/m0.py"));
                let (other, beside) = (self.at("src/m0.py"), self.at("swapped.tmp"));
                if path.is_file() && other.is_file() && path != other {
                    fs::rename(&path, &beside).unwrap();
                    fs::rename(&other, &path).unwrap();
                    fs::rename(&beside, &other).unwrap();
                }
            }
            8 => {
                self.log.push(format!("rename {file} in case only"));
                let name = path.file_name().unwrap().to_string_lossy().to_uppercase().replace(".PY", ".py");
                let _ = fs::rename(&path, path.with_file_name(name));
            }
            _ => self.replace_from_above(),
        }
    }

    /// The folder around the repository makes way for a copy of it.
    fn replace_from_above(&mut self) {
        self.log.push("a copy in the place of the folder above".to_owned());
        let (above, copy, old) = (self.sandbox.path("above"), self.sandbox.path("copy"), self.sandbox.path("old"));
        let copied = run(self.sandbox.command("cp").arg("-a").arg(&above).arg(&copy));
        assert_eq!(copied.code, Some(0), "{}", copied.stderr);
        let text = self.text();
        fs::write(copy.join("repo/copied.py"), text).unwrap();
        fs::rename(&above, &old).unwrap();
        fs::rename(&copy, &above).unwrap();
        self.question();
        fs::remove_dir_all(&old).unwrap();
    }

    /// What hides that a file changed.
    fn deceive(&mut self, file: &str) {
        let (path, text) = (self.at(file), self.text());
        if !path.is_file() {
            return;
        }
        let length = fs::metadata(&path).unwrap().len();
        match self.random.below(7) {
            0 => {
                self.log.push(format!("write {file} through another name"));
                let outside = self.sandbox.path(&format!("outside{}", self.next_name));
                fs::hard_link(&path, &outside).unwrap();
                self.question();
                self.overwrite(&outside, &text);
            }
            1 if length == text.len() as u64 => {
                self.log.push(format!("write {file} through memory"));
                let opened = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
                // SAFETY: nobody cuts the file while it is mapped.
                #[allow(unsafe_code)]
                let mut mapped = unsafe { memmap2::MmapMut::map_mut(&opened) }.unwrap();
                mapped.copy_from_slice(text.as_bytes());
                self.question();
                if self.random.below(2) == 0 {
                    self.catch_up();
                }
                let text = self.text();
                mapped.copy_from_slice(text.as_bytes());
            }
            2 => {
                self.log.push(format!("write {file} and set its time back"));
                let before = fs::metadata(&path).unwrap().modified().unwrap();
                self.overwrite(&path, &text);
                fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
            }
            3 => {
                self.log.push(format!("set the time of {file} ahead"));
                let ahead = SystemTime::now() + Duration::from_secs(10_000);
                fs::File::options().write(true).open(&path).unwrap().set_modified(ahead).unwrap();
            }
            4 => {
                self.log.push(format!("a binary in the place of {file}, and back"));
                fs::write(&path, text.replace("def ", "\0\0\0\0")).unwrap();
                if self.random.below(2) == 0 {
                    self.catch_up();
                } else {
                    self.question();
                }
                self.overwrite(&path, &text);
            }
            5 => {
                self.log.push(format!("a link in the place of {file}"));
                let outside = self.sandbox.path("linked.py");
                fs::write(&outside, text).unwrap();
                fs::remove_file(&path).unwrap();
                symlink(outside, &path).unwrap();
            }
            _ => {
                let folder = path.parent().unwrap().to_owned();
                if folder != self.repo.root {
                    self.log.push(format!("a link in the place of the folder of {file}, and back"));
                    let away = self.sandbox.path(&format!("away{}", self.next_name));
                    fs::rename(&folder, &away).unwrap();
                    symlink(&away, &folder).unwrap();
                    self.question();
                    self.overwrite(&away.join(path.file_name().unwrap()), &text);
                    fs::remove_file(&folder).unwrap();
                    fs::rename(&away, &folder).unwrap();
                }
            }
        }
    }

    /// What is ignored.
    fn rules(&mut self, file: &str, folders: &[String]) {
        let name = file.rsplit('/').next().unwrap_or_default().to_owned();
        let folder = self.pick(folders).unwrap_or_else(|| "src".to_owned());
        let inside = self.at(&folder).is_dir();
        let (path, line) = match self.random.below(7) {
            0 => (".gitignore".to_owned(), name),
            1 => (".gitignore".to_owned(), format!("{folder}/\n!{name}")),
            2 if inside => (format!("{folder}/.gitignore"), format!("*\n!{name}")),
            3 => (".git/info/exclude".to_owned(), name),
            4 => (".cruxeignore".to_owned(), name),
            5 => (".git/info/exclude".to_owned(), "# nothing".to_owned()),
            _ => (".gitignore".to_owned(), "# nothing".to_owned()),
        };
        let rules = self.at(&path);
        if self.random.below(2) == 0 && rules.is_file() {
            self.log.push(format!("rules in {path}, in place: {line}"));
            let file = fs::OpenOptions::new().write(true).truncate(true).open(rules).unwrap();
            (&file).write_all(format!("{line}\n").as_bytes()).unwrap();
        } else {
            self.log.push(format!("rules in {path}: {line}"));
            let beside = self.sandbox.path("rules.tmp");
            fs::write(&beside, format!("{line}\n")).unwrap();
            let _ = fs::rename(beside, rules);
        }
    }

    /// What git does.
    fn version_control(&mut self, file: &str) {
        let branch = BRANCHES[self.random.below(3) as usize];
        match self.random.below(14) {
            0 | 1 => {
                self.git(&["add", "-A"]);
                self.git(&["commit", "-q", "-m", "step"]);
            }
            2 => self.git(&["add", "-f", file]),
            3 => self.git(&["rm", "-q", "--cached", file]),
            4 => self.git(&["stash", "-q", "-u"]),
            5 => self.git(&["stash", "pop", "-q"]),
            6 => self.git(&["reset", "-q", "--hard", "HEAD~1"]),
            7 => self.git(&["reset", "-q", "--hard"]),
            8 => self.git(&["checkout", "-q", "-f", branch]),
            9 => self.git(&["checkout", "-q", "-B", branch]),
            10 => self.git(&["checkout", "-q", "--detach"]),
            11 => self.git(&["pack-refs", "--all"]),
            12 => self.git(&["clean", "-q", "-f", "-d"]),
            _ => self.git(&["mv", file, "lib/renamed.py"]),
        }
    }
}
