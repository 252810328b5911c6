//! `duet import rmb`: a small module with all that is taken and some that is not, through load, searches and writes,
//! the same on both stores.

mod module;

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::duet;

const ORDER: &str = "11111111-1111-4111-8111-111111111111";
const LINE: &str = "22222222-2222-4222-8222-222222222222";
const UNIT: &str = "33333333-3333-4333-8333-333333333333";

/// The module in a folder, imported; the folder of the application, and what the command says.
fn imported(folder: &Folder) -> (String, String) {
    let module = folder.path().join("mod-shelf-storage");
    module::write(&module);
    let into = folder.path().join("app").display().to_string();
    let module = module.display().to_string();
    let (code, out, errors) = duet(&["import", "rmb", &module, "--into", &into]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    (into, out)
}

/// The status and body of an answer.
fn sent(url: &str, [method, path, body]: [&str; 3]) -> String {
    let headers = [("Content-Type", "application/json"), ("X-Okapi-Tenant", "folio")];
    let answer = http::request(method, &format!("{url}{path}"), &headers, body.as_bytes());
    format!("{} {}", answer.status, answer.text())
}

#[test]
fn every_line_of_the_module_is_in_the_report() {
    let folder = Folder::new();
    let (into, said) = imported(&folder);
    let report = fs::read_to_string(format!("{into}/report.md")).unwrap();
    for line in [
        "| table `orders` | taken |  |",
        "| uniqueIndex of `code` | taken |  |",
        "| fullTextIndex of `keyword` | taken |  |",
        "| foreignKey to `orders` by `lineId → orderId` | taken |  |",
        "| fullTextIndex of `isbn` | refused | its sqlExpression is something else than the member |",
        "| table `locks` | refused | no resource of RAML",
        "| `bloom` of `orders` | refused | the key is unknown |",
        "| mode of `old` | taken |  |",
        "| `CREATE UNIQUE INDEX IF NOT EXISTS orders_number_unique ON",
        "| GET /shelf-storage/number | refused |",
        "| view `orders_view` | refused | no view is made",
        "| view `gone_view` | taken |  |",
        "| view `lines_view` | refused | no view is made",
        "| POST /shelf-storage/orders-batch | taken |  |",
        "| PUT /shelf-storage/orders-batch | taken |  |",
        "| PUT /shelf-storage/orders/{id} | taken |  |",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    for refused in ["locks", "isbn", "bloom", "GET /shelf-storage/number", "data/lost/a.json"] {
        assert!(said.contains(refused), "{refused}: {said}");
    }
    // The files of the module are copied as they are.
    let schema = "ramls/models/schemas/order.json";
    let copy = fs::read_to_string(format!("{into}/module/{schema}")).unwrap();
    assert_eq!(copy, module::FILES.iter().find(|(name, _)| *name == schema).unwrap().1);
}

#[test]
fn a_failed_import_leaves_nothing_behind() {
    let folder = Folder::new();
    let module = folder.path().join("mod-shelf-storage");
    module::write(&module);
    let into = folder.path().join("app");
    let own = into.join("collections/orders.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "mine").unwrap();
    let [of, to] = [&module, &into].map(|path| path.display().to_string());
    let (code, _, errors) = duet(&["import", "rmb", &of, "--into", &to]);
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("orders.toml exists"), "{errors}");
    let left = |folder: &std::path::Path| -> Vec<_> {
        fs::read_dir(folder).unwrap().map(|one| one.unwrap().file_name()).collect()
    };
    assert_eq!(left(&into), ["collections"]);
    assert_eq!(left(&into.join("collections")), ["orders.toml"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
}

#[test]
fn its_application_serves_what_it_declares() {
    let folder = Folder::new();
    let (into, _) = imported(&folder);
    let file = folder.path().join("m.db").display().to_string();
    let postgres = Server::shared().database("imported_module").url();
    let answers = [file, postgres].map(|database| {
        let (code, out, errors) = duet(&["load", &into, "--database", &database]);
        assert_eq!(code, 0, "{out}{errors}");
        let open = ["--open", "all", "--listen", "127.0.0.1:0"];
        let server =
            Running::start(&[&["serve", &into, "--database", &database], &open[..]].concat());
        let url = server.url();
        for (of, cql, found) in module::SEARCHES {
            let query: String = cql.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let path = format!("/shelf-storage/{of}?limit=0&query={query}");
            let answer = sent(&url, ["GET", &path, ""]);
            let total = format!("\"totalRecords\":{found}}}");
            assert!(answer.ends_with(&total), "{of} {cql}: {answer}");
        }
        writes(&url)
    });
    assert_eq!(answers[0], answers[1]);
}

/// Writes as clients of RMB send them, and the answers without times.
fn writes(url: &str) -> Vec<String> {
    let orders = "/shelf-storage/orders";
    let one = format!("{orders}/44444444-4444-4444-8444-444444444444");
    let body = r#"{"id":"44444444-4444-4444-8444-444444444444","number":12,"rush":"true","due":"2020-12-25T01:00:00+0100","note":null,"unitIds":[]}"#;
    let made = sent(url, ["POST", orders, body]);
    assert!(made.starts_with("201 "), "{made}");
    let kept = sent(url, ["GET", &one, ""]);
    for part in [
        r#""number":"12""#,
        r#""rush":true"#,
        r#""due":"2020-12-25T00:00:00.000+00:00""#,
        r#""tags":[]"#,
    ] {
        assert!(kept.contains(part), "{part}: {kept}");
    }
    assert!(!kept.contains("\"note\""), "{kept}");
    let expected = [
        (
            ["POST", orders, r#"{"number":"12"}"#],
            "400 ",
            "unique constraint \"orders_number_unique\"",
        ),
        (
            [
                "POST",
                "/shelf-storage/lines",
                r#"{"orderId":"44444444-4444-4444-8444-444444444445"}"#,
            ],
            "400 ",
            "",
        ),
        (["GET", "/shelf-storage/orders/99999999-9999-4999-8999-999999999999", ""], "404 ", ""),
        (["POST", orders, r#"{"colour":"red"}"#], "422 ", "colour"),
        (["GET", "/shelf-storage/lines?query=isbn=1", ""], "400 ", "cannot be searched"),
        (["GET", "/shelf-storage/orders?foo=bar&limit=0", ""], "200 ", "totalRecords"),
    ];
    let answers = expected.map(|(request, begins, has)| {
        let answer = sent(url, request);
        assert!(answer.starts_with(begins) && answer.contains(has), "{request:?}: {answer}");
        answer.split_once(' ').map(|(status, _)| status.to_owned()).unwrap_or_default()
    });
    let mut all = answers.to_vec();
    all.push(sent(url, ["GET", &format!("/shelf-storage/units/{UNIT}"), ""]));
    all.push(sent(url, ["DELETE", &format!("{orders}/{ORDER}"), ""])[..3].to_owned());
    all.push(sent(url, ["DELETE", &format!("/shelf-storage/lines/{LINE}"), ""])[..3].to_owned());
    assert_eq!(all[all.len() - 2..], ["400", "400"], "documents that are referred to stay");
    // Times differ.
    all.retain(|answer| !answer.contains("createdDate"));
    all
}
