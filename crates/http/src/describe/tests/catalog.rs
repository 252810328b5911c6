//! Pages of the metadata catalog.

use duet_service::ResourceKind;
use serde_json::{Value, json};

use super::sample::{SITE, described, table_shape, team_table};
use crate::describe::DescribedResource;
use crate::describe::metadata::{self, PageRequest};

fn page(request: &PageRequest<'_>) -> Value {
    let shape = table_shape(&team_table(), vec![0]);
    let resource = |name| described(name, &shape, ResourceKind::Table);
    let resources: Vec<DescribedResource<'_>> =
        ["a", "b c", "d"].into_iter().map(resource).collect();
    serde_json::from_str(&metadata::catalog(&SITE, &resources, &[], &[], request)).unwrap()
}

#[test]
fn the_whole_catalog() {
    let request = PageRequest { limit: 25, limit_given: false, offset: 0, query: None };
    let page = page(&request);
    let names: Vec<_> = page.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["items", "hasMore", "limit", "offset", "count", "links"]);
    assert_eq!(page["count"], json!(3));
    assert_eq!(page["hasMore"], json!(false));
    assert_eq!(
        page["items"][1],
        json!({
            "name": "B C",
            "links": [
                { "rel": "describes", "href": "http://127.0.0.1:8080/ords/hr/b%20c/" },
                {
                    "rel": "canonical",
                    "href": "http://127.0.0.1:8080/ords/hr/metadata-catalog/b%20c/",
                    "mediaType": "application/json",
                },
            ],
        })
    );
    let catalog = "http://127.0.0.1:8080/ords/hr/metadata-catalog/";
    assert_eq!(
        page["links"],
        json!([{ "rel": "self", "href": catalog }, { "rel": "first", "href": catalog }])
    );
}

#[test]
fn a_page_in_the_middle() {
    let query = Some("offset=1&limit=1");
    let page = page(&PageRequest { limit: 1, limit_given: true, offset: 1, query });
    assert_eq!(page["hasMore"], json!(true));
    assert_eq!(page["items"][0]["name"], json!("B C"));
    let catalog = "http://127.0.0.1:8080/ords/hr/metadata-catalog/";
    let link = |rel: &str, query: &str| json!({ "rel": rel, "href": format!("{catalog}?{query}") });
    assert_eq!(
        page["links"],
        json!([
            link("self", "offset=1&limit=1"),
            link("first", "limit=1"),
            link("next", "offset=2&limit=1"),
            link("prev", "limit=1"),
        ])
    );
}

#[test]
fn odd_pages_do_not_fail() {
    for (limit, offset) in [(0, 0), (25, 3), (25, u64::MAX), (u64::MAX, 1), (u64::MAX, u64::MAX)] {
        let page = page(&PageRequest { limit, limit_given: true, offset, query: None });
        assert!(page["count"].as_u64().unwrap() <= 2, "{limit} {offset}");
    }
}
