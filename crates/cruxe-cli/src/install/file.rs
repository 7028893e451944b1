//! Changes a file so that it is whole at every moment, with a copy of what it was.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use cruxe_files::{Existing, Root};

/// A larger file is no file of settings.
const LARGEST_FILE: u64 = 16 << 20;

/// A file that is to be changed.
pub(crate) struct Change {
    place: SettingsFile,
    /// What it says; `None` where there is none.
    pub before: Option<String>,
    /// What it will say.
    pub after: String,
}

/// Whose file it is.
enum SettingsFile {
    /// The user's own. A link was followed: settings are often links into a folder under version control.
    Own { path: PathBuf, linked: bool },
    /// A project's, below its root. Who wrote the project may have put a link there, so none is followed.
    InProject(Root, PathBuf),
}

impl Change {
    /// Reads a file and works out what it will say. `edit` gets an empty text where there is no file. `project` is the root of
    /// the project that the file belongs to, if it belongs to one.
    pub fn of(
        path: &Path,
        project: Option<&Path>,
        edit: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Change, String> {
        let below = project.and_then(|root| Some((root, path.strip_prefix(root).ok()?.to_owned())));
        let place = match below {
            Some((root, below)) => {
                SettingsFile::InProject(Root::open(root).map_err(|problem| problem.to_string())?, below)
            }
            None => SettingsFile::Own {
                path: fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
                linked: path.is_symlink(),
            },
        };
        let before = match place.read() {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?),
            Err(problem) if problem.kind() == ErrorKind::NotFound => None,
            Err(problem) => return Err(problem.to_string()),
        };
        let after = edit(before.as_deref().unwrap_or_default())?;
        Ok(Change { place, before, after })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }

    /// The difference, as `diff -u` has it.
    pub fn diff(&self) -> String {
        let name = self.place.path().display().to_string();
        let before = self.before.as_deref().unwrap_or_default();
        similar::TextDiff::from_lines(before, &self.after)
            .unified_diff()
            .context_radius(2)
            .header(&name, &name)
            .to_string()
    }

    /// Writes it, after a copy of what was there; returns where the copy is.
    pub fn write(&self) -> io::Result<Option<PathBuf>> {
        let copy = match &self.before {
            Some(before) => Some(self.place.write_copy(before)?),
            None => None,
        };
        self.write_without_copy()?;
        Ok(copy)
    }

    /// Takes our part out for good: no copy of what was there, none of earlier runs, and no file that says nothing any more.
    pub fn clean_up(&self) -> io::Result<()> {
        // The copy last, unless a folder is to be left empty: until then it is what there is if something goes wrong.
        if says_nothing(&self.after) && !self.place.is_link() {
            self.place.remove_copy()?;
            return self.place.remove();
        }
        self.write_without_copy()?;
        self.place.remove_copy()
    }

    /// Writes it; for a file that is under version control.
    pub fn write_without_copy(&self) -> io::Result<()> {
        match &self.place {
            SettingsFile::InProject(root, path) => {
                root.write(path, self.after.as_bytes(), Existing::Replace)?;
                Ok(())
            }
            SettingsFile::Own { path, .. } => write_own(path, &self.after, self.before.is_some()),
        }
    }
}

impl SettingsFile {
    fn path(&self) -> PathBuf {
        match self {
            SettingsFile::Own { path, .. } => path.clone(),
            SettingsFile::InProject(root, path) => root.path().join(path),
        }
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            SettingsFile::InProject(root, path) => Ok(root.read(path, LARGEST_FILE)?),
            SettingsFile::Own { path, .. } => {
                let mut bytes = Vec::new();
                File::open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
                if bytes.len() as u64 == LARGEST_FILE { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
            }
        }
    }

    /// A link is somebody's arrangement: what it leads to may say nothing, but it stays.
    fn is_link(&self) -> bool {
        matches!(self, SettingsFile::Own { linked: true, .. })
    }

    fn remove(&self) -> io::Result<()> {
        match self {
            SettingsFile::Own { path, .. } => fs::remove_file(path),
            SettingsFile::InProject(root, path) => {
                root.remove_file(path)?;
                // A folder that was made for the file goes with it; one that holds more refuses.
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
                    && root.list(folder).is_ok_and(|entries| entries.is_empty())
                {
                    root.remove_folder(folder)?;
                }
                Ok(())
            }
        }
    }

    fn remove_copy(&self) -> io::Result<()> {
        match self {
            SettingsFile::Own { path, .. } => match fs::remove_file(beside(path)) {
                Err(problem) if problem.kind() != ErrorKind::NotFound => Err(problem),
                _ => Ok(()),
            },
            SettingsFile::InProject(root, path) => match root.remove_file(beside(path)) {
                Err(problem) if !problem.is_absent() => Err(problem.into()),
                _ => Ok(()),
            },
        }
    }

    fn write_copy(&self, before: &str) -> io::Result<PathBuf> {
        match self {
            SettingsFile::Own { path, .. } => {
                fs::copy(path, beside(path))?;
                Ok(beside(path))
            }
            SettingsFile::InProject(root, path) => {
                root.write(beside(path), before.as_bytes(), Existing::Replace)?;
                Ok(root.path().join(beside(path)))
            }
        }
    }
}

/// Where the copy of a file is.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".cruxe-backup");
    path.with_file_name(name)
}

/// Whether settings hold nothing, in TOML, JSON or Markdown.
fn says_nothing(text: &str) -> bool {
    let text: String = text.trim_start_matches('\u{feff}').split_whitespace().collect();
    text.is_empty() || text == "{}"
}

fn write_own(path: &Path, text: &str, exists: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = new_file(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if exists {
        // Settings may hold keys; who could not read them before cannot now.
        fs::set_permissions(file.path(), fs::metadata(path)?.permissions())?;
    }
    file.persist(path).map_err(|problem| problem.error)?;
    Ok(())
}

/// A file that everybody may read whom the user's mask lets; temporary files are private otherwise.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
