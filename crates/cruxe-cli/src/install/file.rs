//! Changes a file so that it is whole at every moment, with a copy of what it was.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is to be changed.
pub(crate) struct Change {
    /// The file itself; a link to it was followed.
    path: PathBuf,
    /// What it says; `None` where there is none.
    pub before: Option<String>,
    /// What it will say.
    pub after: String,
}

impl Change {
    /// Reads a file and works out what it will say. `edit` gets an empty text where there is no file.
    pub fn of(path: &Path, edit: impl FnOnce(&str) -> Result<String, String>) -> Result<Change, String> {
        // A link is followed, not replaced: settings are often links into a folder under version control.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?),
            Err(problem) if problem.kind() == ErrorKind::NotFound => None,
            Err(problem) => return Err(problem.to_string()),
        };
        let after = edit(before.as_deref().unwrap_or_default())?;
        Ok(Change { path, before, after })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }

    /// The difference, as `diff -u` has it.
    pub fn diff(&self) -> String {
        let name = self.path.display().to_string();
        let before = self.before.as_deref().unwrap_or_default();
        similar::TextDiff::from_lines(before, &self.after)
            .unified_diff()
            .context_radius(2)
            .header(&name, &name)
            .to_string()
    }

    /// Writes it, after a copy of what was there; returns where the copy is.
    pub fn write(&self) -> io::Result<Option<PathBuf>> {
        let mut copy = None;
        if self.before.is_some() {
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(".cruxe-backup");
            let path = self.path.with_file_name(name);
            fs::copy(&self.path, &path)?;
            copy = Some(path);
        }
        self.write_without_copy()?;
        Ok(copy)
    }

    /// Writes it; for a file that is under version control.
    pub fn write_without_copy(&self) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = new_file(folder)?;
        file.write_all(self.after.as_bytes())?;
        file.as_file().sync_all()?;
        if self.before.is_some() {
            // Settings may hold keys; who could not read them before cannot now.
            fs::set_permissions(file.path(), fs::metadata(&self.path)?.permissions())?;
        }
        file.persist(&self.path).map_err(|problem| problem.error)?;
        Ok(())
    }
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
