//! The style, the scripts and the icon of all pages.

/// A file that pages load.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name below `/assets/`.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its text.
    pub text: &'static str,
}

static ASSETS: [Asset; 8] = [
    Asset { name: "icon.svg", media: "image/svg+xml", text: include_str!("../assets/icon.svg") },
    Asset {
        name: "console.css",
        media: "text/css; charset=utf-8",
        text: include_str!("../assets/console.css"),
    },
    Asset {
        name: "console.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/console.js"),
    },
    Asset {
        name: "changes.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/changes.js"),
    },
    Asset {
        name: "design.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/design.js"),
    },
    Asset {
        name: "import.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/import.js"),
    },
    Asset {
        name: "measure.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/measure.js"),
    },
    Asset {
        name: "operate.js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("../assets/operate.js"),
    },
];

/// The file of this name.
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_fit_into_a_first_view() {
        // Even without compression, and with those of every page: a first view has 150 kB.
        let sum: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(sum < 100_000, "{sum} bytes");
    }
}
