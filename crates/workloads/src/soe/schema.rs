//! Tables of order entry, with the names, columns and indexes of the well-known kit; its
//! reverse-key indexes are plain B-trees here.

use crate::generate::DataRule;
use crate::generate::schema::{
    Reference, Table, big, date, index, int, money, text, timestamp, to,
};

/// The metadata table.
pub const METADATA: &str = "orderentry_metadata";

pub(super) const CUSTOMERS: Table = Table {
    checks: &["customer_id > 0", "credit_limit <= 50000{cents}"],
    ..Table::new(
        "customers",
        &[
            big("customer_id").required(),
            text("cust_first_name").required(),
            text("cust_last_name").required(),
            text("nls_language"),
            text("nls_territory"),
            money("credit_limit"),
            text("cust_email"),
            big("account_mgr_id"),
            date("customer_since"),
            text("customer_class"),
            text("suggestions"),
            date("dob"),
            text("mailshot"),
            text("partner_mailshot"),
            big("preferred_address"),
            big("preferred_card"),
        ],
        &["customer_id"],
    )
    .indexed(&[
        index("cust_account_manager_ix", "(account_mgr_id)"),
        index("cust_dob_ix", "(dob)"),
        index("cust_email_ix", "(cust_email)"),
        index("cust_func_lower_name_ix", "(lower(cust_last_name), lower(cust_first_name))"),
    ])
};

pub(super) const ADDRESSES: Table = Table::new(
    "addresses",
    &[
        big("address_id").required(),
        big("customer_id").required(),
        date("date_created").required(),
        text("house_no_or_name"),
        text("street_name"),
        text("town"),
        text("county"),
        text("country"),
        text("post_code"),
        text("zip_code"),
    ],
    &["address_id"],
)
.referring(&[to("customer_id", "customers", "customer_id")])
.indexed(&[index("address_cust_ix", "(customer_id)")]);

pub(super) const CARD_DETAILS: Table = Table::new(
    "card_details",
    &[
        big("card_id").required(),
        big("customer_id").required(),
        text("card_type").required(),
        big("card_number").required(),
        date("expiry_date").required(),
        text("is_valid").required(),
        int("security_code"),
    ],
    &["card_id"],
)
.indexed(&[index("carddetails_cust_ix", "(customer_id)")]);

pub(super) const WAREHOUSES: Table = Table::new(
    "warehouses",
    &[int("warehouse_id").required(), text("warehouse_name"), int("location_id")],
    &["warehouse_id"],
)
.indexed(&[index("whs_location_ix", "(location_id)")]);

pub(super) const PRODUCT_INFORMATION: Table = Table {
    checks: &["product_status IN ('orderable', 'planned', 'under development', 'obsolete')"],
    ..Table::new(
        "product_information",
        &[
            int("product_id").required(),
            text("product_name").required(),
            text("product_description"),
            int("category_id").required(),
            int("weight_class"),
            int("warranty_period"),
            int("supplier_id"),
            text("product_status"),
            money("list_price"),
            money("min_price"),
            text("catalog_url"),
        ],
        &["product_id"],
    )
    .indexed(&[
        index("prod_supplier_ix", "(supplier_id)"),
        index("prod_category_ix", "(category_id)"),
    ])
};

pub(super) const PRODUCT_DESCRIPTIONS: Table = Table::new(
    "product_descriptions",
    &[
        int("product_id").required(),
        text("language_id").required(),
        text("translated_name").required(),
        text("translated_description").required(),
    ],
    &["product_id", "language_id"],
)
.referring(&[to("product_id", "product_information", "product_id")])
.indexed(&[index("prod_name_ix", "(translated_name)")]);

pub(super) const INVENTORIES: Table = Table {
    // The kit leaves most of each block free, so that rows which many users update are apart.
    fillfactor: Some(10),
    ..Table::new(
        "inventories",
        &[
            int("product_id").required(),
            int("warehouse_id").required(),
            big("quantity_on_hand").required(),
        ],
        &["product_id", "warehouse_id"],
    )
    .referring(&[
        to("product_id", "product_information", "product_id"),
        to("warehouse_id", "warehouses", "warehouse_id"),
    ])
    .indexed(&[
        index("inv_product_ix", "(product_id)"),
        index("inv_warehouse_ix", "(warehouse_id)"),
    ])
};

pub(super) const ORDERS: Table = Table {
    checks: &["order_mode IN ('direct', 'online')", "order_total >= 0"],
    ..Table::new(
        "orders",
        &[
            big("order_id").required(),
            timestamp("order_date").required(),
            text("order_mode"),
            big("customer_id").required(),
            int("order_status"),
            money("order_total"),
            int("sales_rep_id"),
            int("promotion_id"),
            int("warehouse_id"),
            text("delivery_type"),
            int("cost_of_delivery"),
            text("wait_till_all_available"),
            big("delivery_address_id"),
            text("customer_class"),
            big("card_id"),
            big("invoice_address_id"),
        ],
        &["order_id"],
    )
    .referring(&[to("customer_id", "customers", "customer_id")])
    .indexed(&[
        index("ord_sales_rep_ix", "(sales_rep_id)"),
        index("ord_customer_ix", "(customer_id)"),
        index("ord_order_date_ix", "(order_date)"),
        index("ord_warehouse_ix", "(warehouse_id, order_status)"),
    ])
};

pub(super) const ORDER_ITEMS: Table = Table::new(
    "order_items",
    &[
        big("order_id").required(),
        int("line_item_id").required(),
        int("product_id").required(),
        money("unit_price"),
        int("quantity"),
        date("dispatch_date"),
        date("return_date"),
        text("gift_wrap"),
        text("condition"),
        int("supplier_id"),
        date("estimated_delivery"),
    ],
    &["order_id", "line_item_id"],
)
.referring(&[
    Reference { cascade: true, ..to("order_id", "orders", "order_id") },
    to("product_id", "product_information", "product_id"),
])
.indexed(&[index("item_order_ix", "(order_id)"), index("item_product_ix", "(product_id)")]);

pub(super) const LOGON: Table = Table {
    sqlite_key: &["logon_id"],
    ..Table::new(
        "logon",
        &[big("logon_id").required(), big("customer_id").required(), date("logon_date")],
        &[],
    )
};

pub(super) const VIEWS: &[(&str, &str)] = &[
    (
        "products",
        "CREATE VIEW {s}products AS SELECT i.product_id, d.language_id, \
         coalesce(d.translated_name, i.product_name) AS product_name, i.category_id, \
         coalesce(d.translated_description, i.product_description) AS product_description, \
         i.weight_class, i.warranty_period, i.supplier_id, i.product_status, i.list_price, \
         i.min_price, i.catalog_url FROM {s}product_information i \
         LEFT JOIN {s}product_descriptions d ON d.product_id = i.product_id AND d.language_id = 'US'",
    ),
    (
        "product_prices",
        "CREATE VIEW {s}product_prices AS SELECT category_id, count(*) AS products, \
         min(list_price) AS low_price, max(list_price) AS high_price \
         FROM {s}product_information GROUP BY category_id",
    ),
];

pub(super) const RULES: &[DataRule] = &[
    DataRule {
        name: "every order's total is the sum of its items",
        sql: "SELECT count(*) FROM {s}orders o LEFT JOIN (SELECT order_id, \
              sum(unit_price * quantity) AS total FROM {s}order_items GROUP BY order_id) i \
              ON i.order_id = o.order_id WHERE o.order_total IS NOT NULL \
              AND o.order_total <> coalesce(i.total, 0)",
    },
    DataRule {
        name: "every card has a customer",
        sql: "SELECT count(*) FROM {s}card_details c WHERE NOT EXISTS (SELECT 1 \
              FROM {s}customers x WHERE x.customer_id = c.customer_id)",
    },
    DataRule {
        name: "every logon has a customer",
        sql: "SELECT count(*) FROM {s}logon l WHERE NOT EXISTS (SELECT 1 \
              FROM {s}customers x WHERE x.customer_id = l.customer_id)",
    },
    DataRule {
        name: "every order has a warehouse",
        sql: "SELECT count(*) FROM {s}orders o WHERE NOT EXISTS (SELECT 1 \
              FROM {s}warehouses w WHERE w.warehouse_id = o.warehouse_id)",
    },
];
