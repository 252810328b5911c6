//! Simulated power cuts: a program runs over a layer that records its operations on
//! the files of one folder and its syncs; then the folder is restored as a disk might have it
//! that lost unsynced data.
//!
//! The layer is a small library of C, loaded before the program's own (`LD_PRELOAD`), so the
//! program must be linked dynamically, and the system be 64-bit Linux with a C compiler.

mod image;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use image::Image;
pub use image::{Random, Survivors};

const SOURCE: &str = include_str!("layer.c");

/// The layer over the files of one folder; folders in it are not looked at.
#[derive(Debug)]
pub struct Layer {
    folder: PathBuf,
    /// The library and the log.
    home: TempDir,
    /// The files when the program started, with their inodes: they count as synced.
    before: Vec<(String, u64, Vec<u8>)>,
}

impl Layer {
    /// Builds the layer for a folder.
    ///
    /// # Panics
    /// If there is no C compiler (`CC`, else `cc`), or it fails.
    pub fn over(folder: &Path) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("folder: {error}"));
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-pthread", "-x", "c", "-", "-o"]);
        command.arg(home.path().join("layer.so")).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
        let given = child.stdin.take().map(|mut pipe| pipe.write_all(SOURCE.as_bytes()));
        let status = child.wait().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
        assert!(
            status.success() && given.is_some_and(|given| given.is_ok()),
            "{compiler:?} failed"
        );
        // The layer compares absolute paths.
        let folder = folder.canonicalize().unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        Self { folder, home, before: Vec::new() }
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Puts the layer under a command that is about to start. What is in the folder is on the disk.
    ///
    /// # Panics
    /// If the folder cannot be read.
    pub fn carry(&mut self, command: &mut Command) {
        self.before = read(&self.folder);
        fs::write(self.log(), "").unwrap_or_else(|error| panic!("log: {error}"));
        command.env("LD_PRELOAD", self.home.path().join("layer.so"));
        command.env("POWER_FOLDER", &self.folder).env("POWER_LOG", self.log());
    }

    /// The present moment: all writes and syncs up to now are before it.
    ///
    /// # Panics
    /// If there is no log.
    pub fn now(&self) -> u64 {
        let log = fs::metadata(self.log());
        log.unwrap_or_else(|error| panic!("log: {error}")).len()
    }

    /// The files after a cut at a moment.
    ///
    /// # Panics
    /// If the program was not carried: it is linked statically, or was never started.
    fn after(&self, moment: u64, survivors: Survivors) -> BTreeMap<String, Vec<u8>> {
        let log = fs::read(self.log()).unwrap_or_else(|error| panic!("log: {error}"));
        assert!(!log.is_empty(), "the program does not run over the layer");
        let mut image = Image::default();
        for (name, inode, content) in &self.before {
            image.hold(name, *inode, content.clone());
        }
        let moment = usize::try_from(moment).unwrap_or(usize::MAX).min(log.len());
        image.follow(&log[..moment]);
        image.after(survivors)
    }

    /// Cuts the power at a moment: the folder gets the surviving content. The program has ended.
    ///
    /// # Panics
    /// If the folder cannot be written, or the program did not run over the layer.
    pub fn cut(&self, moment: u64, survivors: Survivors) {
        let failed = |error: std::io::Error| panic!("{}: {error}", self.folder.display());
        let left = self.after(moment, survivors);
        for (name, ..) in read(&self.folder) {
            fs::remove_file(self.folder.join(name)).unwrap_or_else(failed);
        }
        for (name, content) in left {
            fs::write(self.folder.join(name), content).unwrap_or_else(failed);
        }
    }

    /// Compares the present files with the log, after the program has ended normally: if
    /// anything was written past the layer, every other answer of it is worth nothing.
    ///
    /// # Panics
    /// If a file, or a byte of one, differs.
    pub fn check_complete(&self) {
        let is_recorded = |name: &String| !name.ends_with("-shm");
        let mut expected = self.after(self.now(), Survivors::All);
        expected.retain(|name, _| is_recorded(name));
        let files = read(&self.folder).into_iter().map(|(name, _, content)| (name, content));
        let found: BTreeMap<_, _> = files.filter(|(name, _)| is_recorded(name)).collect();
        assert!(found.keys().eq(expected.keys()), "{:?}, {:?}", found.keys(), expected.keys());
        for (name, content) in &found {
            assert!(*content == expected[name], "{name} was written past the layer");
        }
    }
}

/// The files of a folder: name, inode, content.
fn read(folder: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let read = || {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_file() {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.push((name, metadata.ino(), fs::read(entry.path())?));
            }
        }
        Ok::<_, std::io::Error>(files)
    };
    read().unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script over the layer in a fresh folder that holds `old`, and cuts.
    fn left_by(script: &str, survivors: Survivors) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old"), "old").unwrap();
        let mut layer = Layer::over(folder.path());
        let mut command = Command::new("/bin/sh");
        command.args(["-ec", script]).current_dir(&layer.folder);
        layer.carry(&mut command);
        assert!(command.status().unwrap().success());
        layer.check_complete();
        layer.cut(layer.now(), survivors);
        let files = read(folder.path()).into_iter();
        files.map(|(name, _, content)| (name, String::from_utf8(content).unwrap())).collect()
    }

    #[test]
    fn only_synced_data_survives() {
        let left = |script: &str| {
            let left = left_by(script, Survivors::None);
            let words: Vec<String> =
                left.into_iter().map(|(name, content)| format!("{name}={content}")).collect();
            words.join(" ")
        };
        assert_eq!(left("printf new >old"), "old=old");
        assert_eq!(left("printf new >old; sync old"), "old=new");
        assert_eq!(left("printf a >>old; sync old; printf b >>old"), "old=olda");
        assert_eq!(left("printf a >new; sync new"), "old=old");
        assert_eq!(left("printf a >new; sync new \"$PWD\""), "new=a old=old");
        assert_eq!(left("printf a >new; sync \"$PWD\""), "new= old=old");
        assert_eq!(left("unlink \"$PWD/old\""), "old=old");
        assert_eq!(left("unlink \"$PWD/old\"; sync \"$PWD\""), "");
    }

    #[test]
    fn all_data_survives_without_power_loss() {
        let left = left_by("printf new >old; printf a >new; unlink \"$PWD/old\"", Survivors::All);
        assert_eq!(left, BTreeMap::from([("new".to_owned(), "a".to_owned())]));
    }

    #[test]
    #[should_panic(expected = "does not run over the layer")]
    fn detects_a_program_that_bypasses_the_layer() {
        let folder = tempfile::tempdir().unwrap();
        let mut layer = Layer::over(folder.path());
        layer.carry(&mut Command::new("/bin/true"));
        layer.cut(u64::MAX, Survivors::None);
    }
}
