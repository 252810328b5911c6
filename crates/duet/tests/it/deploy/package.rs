//! The Debian package: its files exist, and its unit serves an application. `deploy/release.sh` builds it and looks inside.

use std::fs;
use std::path::Path;

use duet_testkit::command::{Running, clean, duet};
use duet_testkit::sqlite::Folder;

use super::folder;

#[test]
fn files_of_the_package_exist() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(crate_folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    let script = fs::read_to_string(folder().join("release.sh")).unwrap();
    for asset in package["assets"].as_array().unwrap() {
        let path = asset[0].as_str().unwrap();
        match path.strip_prefix("../../target/package/") {
            // What the script writes.
            Some(made) => {
                let name = made.trim_end_matches("/*");
                assert!(script.contains(&format!("\"$files/{name}\"")), "{path}");
            }
            None => assert!(crate_folder.join(path).is_file(), "{path}"),
        }
    }
    let scripts = package["maintainer-scripts"].as_str().unwrap();
    assert!(crate_folder.join(scripts).join("postinst").is_file());
    let installed = "usr/lib/systemd/system/duet@.service";
    assert!(
        package["assets"].as_array().unwrap().iter().any(|one| one[1].as_str() == Some(installed))
    );
}

/// The line of the unit that begins so, for the instance `shop`, with its folders inside this one.
fn unit(key: &str, root: &Path) -> Vec<String> {
    let unit = fs::read_to_string(folder().join("debian/duet@.service")).unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    let root = root.display();
    let moved = line.replace("%i", "shop").replace("/etc/duet", &format!("{root}/etc"));
    let moved = moved.replace("/var/lib/duet", &format!("{root}/var"));
    moved.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_unit_of_the_package_serves() {
    let root = Folder::new();
    let database = root.load("shop.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    for folder in ["etc", "var"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    let application = root.path().join("etc/shop").display().to_string();
    super::super::duet_says(&["init", &database.display().to_string(), &application]);
    let mut command = clean(&duet());
    command.args(&unit("ExecStart=", root.path())[1..]).env("DUET_LISTEN", "127.0.0.1:0");
    for variable in unit("Environment=", root.path()) {
        let (name, value) = variable.split_once('=').unwrap();
        command.env(name, value);
    }
    let server = Running::start_command(command);
    let items = format!("{}/shop/item/", server.url());
    assert_eq!(duet_testkit::http::get(&items, &[]).status, 401);
    let token = root.path().join("ready.json");
    fs::write(&token, server.ready().to_string()).unwrap();
    let token = super::super::duet_says(&["token", "--from", &token.display().to_string()]);
    let header = format!("Bearer {}", token.trim_end());
    assert_eq!(duet_testkit::http::get(&items, &[("Authorization", &header)]).status, 200);
    assert!(server.stop().success());
}
