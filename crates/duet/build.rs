//! Lists the files of `apps/` to build them into the binary, large ones compressed: every folder there with
//! an `app.toml` is an application. And names the profile, for `duet --version`, and the sources, for agents.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Files from so many bytes on are compressed.
const LARGE: usize = 8 * 1_024;

fn main() -> io::Result<()> {
    // Read at run time: a checkout that was moved keeps the compiled script.
    let package = env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?;
    let apps = Path::new(&package).join("../../apps").canonicalize()?;
    println!("cargo::rerun-if-changed={}", apps.display());
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    println!("cargo::rustc-env=DUET_BUILD_PROFILE={}", profile(Path::new(&out)));
    let crates = Path::new(&package).join("..").canonicalize()?;
    println!("cargo::rustc-env=DUET_BUILD_SOURCES={}", sources(&crates)?);
    let mut code = String::from("&[\n");
    for folder in sorted(&apps)? {
        if folder.join("app.toml").is_file() {
            write_application(&folder, Path::new(&out), &mut code)?;
        }
    }
    code.push_str("]\n");
    fs::write(Path::new(&out).join("built_in.rs"), code)
}

/// Crates that are for development only.
const FOR_DEVELOPMENT: [&str; 2] = ["suite", "testkit"];

/// A checksum of all sources: the same on every machine that builds them.
fn sources(crates: &Path) -> io::Result<String> {
    let mut sum = Crc::new();
    for folder in sorted(crates)? {
        let is_for_development = FOR_DEVELOPMENT.iter().any(|name| folder.ends_with(name));
        if is_for_development || !folder.join("src").is_dir() {
            continue;
        }
        let mut files = Vec::new();
        collect(&folder.join("src"), &mut files)?;
        for file in files {
            let below = file.strip_prefix(crates).map_err(io::Error::other)?;
            sum.update(below.to_string_lossy().as_bytes());
            sum.update(&fs::read(&file)?);
        }
    }
    Ok(format!("{:08x}", sum.sum()))
}

/// The name of cargo's profile: of its folder, in which this script has its output. `PROFILE` knows only two.
fn profile(out: &Path) -> String {
    let folder = out.ancestors().nth(3).and_then(Path::file_name).unwrap_or_default();
    let name = folder.to_string_lossy();
    if name == "debug" { "dev".to_owned() } else { name.into_owned() }
}

fn write_application(folder: &Path, out: &Path, code: &mut String) -> io::Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    // Writing to a String cannot fail.
    let _ = writeln!(code, "    ({name:?}, &[");
    for path in files {
        let below = path.strip_prefix(folder).map_err(io::Error::other)?;
        let below = below.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&path)?;
        let (kind, path) = if bytes.len() < LARGE {
            ("Plain", path)
        } else {
            let name = format!("{name}_{}.deflate", below.replace('/', "_"));
            ("Deflated", deflated(&bytes, out.join(name))?)
        };
        let path = path.to_string_lossy();
        let _ = writeln!(code, "        ({below:?}, Stored::{kind}(include_bytes!({path:?}))),");
    }
    code.push_str("    ]),\n");
    Ok(())
}

/// Writes a file with these bytes, compressed.
fn deflated(bytes: &[u8], path: PathBuf) -> io::Result<PathBuf> {
    let mut encoder = DeflateEncoder::new(fs::File::create(&path)?, Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()?;
    Ok(path)
}

/// All files below a folder. Folders are watched too, so that a new file is noticed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for path in sorted(folder)? {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Files that SQLite keeps beside an open database.
        let leftover = path.to_string_lossy().ends_with("-wal")
            || path.to_string_lossy().ends_with("-shm")
            || path.to_string_lossy().ends_with("-journal");
        match (hidden || leftover, path.is_dir()) {
            (true, _) => {}
            (false, true) => collect(&path, files)?,
            (false, false) => files.push(path),
        }
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
    let mut paths: Vec<_> = entries?.iter().map(fs::DirEntry::path).collect();
    paths.sort_unstable();
    Ok(paths)
}
