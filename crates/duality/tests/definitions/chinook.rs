//! The music-shop views: deep nesting, a mapping table without members, self-references.

use duet_model::{Cardinality, MemberKind};

use crate::{catalogs, member, shape};

const ARTIST: &str = include_str!("../../../../apps/chinook/views/artist_dv.sql");
const CUSTOMER: &str = include_str!("../../../../apps/chinook/views/customer_dv.sql");

#[test]
fn artist() {
    let shape = shape(ARTIST, &catalogs::chinook());
    let tables: Vec<_> = shape.nodes.iter().map(|node| &*node.table.name).collect();
    assert_eq!(tables, ["artist", "album", "track", "genre"]);
    assert_eq!(*member(&shape.nodes[2], "genre"), MemberKind::Object(3));
}

#[test]
fn customer_is_six_tables_deep() {
    let shape = shape(CUSTOMER, &catalogs::chinook());
    let tables: Vec<_> = shape.nodes.iter().map(|node| &*node.table.name).collect();
    let expected = ["customer", "employee", "invoice", "invoice_line", "track", "album", "artist"];
    assert_eq!(tables, expected);
    let MemberKind::Group(address) = member(&shape.nodes[0], "address") else { panic!("group") };
    assert_eq!(address.len(), 5);
    let fields = shape.fields();
    let deepest =
        fields.iter().find(|field| field.column().is_some_and(|column| column.node == 6)).unwrap();
    assert_eq!(deepest.path, "invoices.lines.track.album.artist.artistId");
    assert!(deepest.repeated);
}

#[test]
fn many_to_many_through_a_mapping_table() {
    // The mapping table's key is two foreign keys: one is the parent's key, the other the
    // track's, so neither needs a separate member.
    let text = "
        view playlist_dv as playlist {
          _id: playlist_id
          name
          tracks: playlist_track @insert @delete [ { track @unnest { trackId: track_id name } } ]
        }";
    let shape = shape(text, &catalogs::chinook());
    assert_eq!(*member(&shape.nodes[0], "tracks"), MemberKind::Array(1));
    assert_eq!(shape.nodes[1].members[0].kind, MemberKind::Unnest(2));
}

#[test]
fn self_references_in_both_directions() {
    let graphql = r#"
        CREATE JSON DUALITY VIEW employee_dv AS employee {
          _id: employee_id
          last_name
          manager: employee @link(from: ["reports_to"], to: ["employee_id"]) {
            employee_id last_name
          }
          reports: employee @link(to: ["reports_to"]) [ {
            employee_id
            last_name
            reports: employee @link(from: [employee_id] to: [reports_to]) { employee_id }
          } ]
        }"#;
    let sql = "
        CREATE JSON DUALITY VIEW employee_dv AS
          SELECT JSON {'_id' : e.employee_id,
                       'last_name' : e.last_name,
                       'manager' : (SELECT JSON {'employee_id' : m.employee_id,
                                                 'last_name' : m.last_name}
                                      FROM employee m WHERE m.employee_id = e.reports_to),
                       'reports' : [SELECT JSON {'employee_id' : r.employee_id,
                                                 'last_name' : r.last_name,
                                                 'reports' : [SELECT {'employee_id': x.employee_id}
                                                    FROM employee x
                                                    WHERE r.employee_id = x.reports_to]}
                                      FROM employee r WHERE r.reports_to = e.employee_id]}
            FROM employee e";
    let catalog = catalogs::chinook();
    let shape = shape(graphql, &catalog);
    assert_eq!(shape, crate::shape(sql, &catalog));
    let cardinality = |node: usize| shape.nodes[node].link.as_ref().unwrap().cardinality;
    let all: Vec<_> = (1..4).map(cardinality).collect();
    assert_eq!(all, [Cardinality::One, Cardinality::Many, Cardinality::Many]);
    // The same table at three places.
    assert!(shape.nodes.iter().all(|node| node.table.name == "employee"));
}

#[test]
fn scalar_arrays_are_read_only() {
    let sql = "create json duality view v as select json {
        '_id': a.artist_id,
        'titles': [ select al.title from album al where al.artist_id = a.artist_id ] }
        from artist a";
    let graphql = "view v as artist { _id: artist_id titles: album [ title ] }";
    let catalog = catalogs::chinook();
    let shape = shape(sql, &catalog);
    assert_eq!(shape, crate::shape(graphql, &catalog));
    assert_eq!(*member(&shape.nodes[0], "titles"), MemberKind::Scalars(1));
    let titles = &shape.fields()[1];
    assert_eq!((&*titles.path, titles.repeated), ("titles", true));
}
