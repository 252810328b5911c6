//! Tables of retail: money in whole cents on both stores, keys as whole numbers.
//!
//! The key of a fact is order before item: rows are generated in that order, and the item has its
//! own index.

use crate::generate::DataRule;
use crate::generate::schema::{Table, big, date, index, int, text, to};

/// The metadata table.
pub const METADATA: &str = "retail_metadata";

pub(super) const DATE_DIM: Table = Table::new(
    "date_dim",
    &[
        int("d_date_sk").required(),
        date("d_date").required(),
        int("d_year"),
        int("d_moy"),
        int("d_dom"),
        int("d_qoy"),
        int("d_dow"),
        int("d_week_seq"),
        int("d_month_seq"),
        text("d_day_name"),
        text("d_holiday"),
        text("d_weekend"),
    ],
    &["d_date_sk"],
)
.indexed(&[index("date_dim_year_moy_ix", "(d_year, d_moy)")]);

pub(super) const TIME_DIM: Table = Table::new(
    "time_dim",
    &[
        int("t_time_sk").required(),
        int("t_hour"),
        int("t_minute"),
        text("t_shift"),
        text("t_meal_time"),
    ],
    &["t_time_sk"],
);

pub(super) const ITEM: Table = Table::new(
    "item",
    &[
        int("i_item_sk").required(),
        text("i_item_id"),
        text("i_item_desc"),
        int("i_brand_id"),
        text("i_brand"),
        int("i_class_id"),
        text("i_class"),
        int("i_category_id"),
        text("i_category"),
        int("i_manufact_id"),
        int("i_manager_id"),
        text("i_color"),
        text("i_size"),
        int("i_current_price"),
    ],
    &["i_item_sk"],
)
.indexed(&[index("item_category_ix", "(i_category)"), index("item_manager_ix", "(i_manager_id)")]);

pub(super) const CUSTOMER_ADDRESS: Table = Table::new(
    "customer_address",
    &[
        int("ca_address_sk").required(),
        text("ca_city"),
        text("ca_county"),
        text("ca_state"),
        text("ca_zip"),
        text("ca_country"),
        int("ca_gmt_offset"),
        text("ca_location_type"),
    ],
    &["ca_address_sk"],
)
.indexed(&[index("customer_address_state_ix", "(ca_state)")]);

pub(super) const CUSTOMER_DEMOGRAPHICS: Table = Table::new(
    "customer_demographics",
    &[
        int("cd_demo_sk").required(),
        text("cd_gender"),
        text("cd_marital_status"),
        text("cd_education_status"),
        int("cd_purchase_estimate"),
        text("cd_credit_rating"),
        int("cd_dep_count"),
        int("cd_dep_employed_count"),
        int("cd_dep_college_count"),
    ],
    &["cd_demo_sk"],
);

pub(super) const HOUSEHOLD_DEMOGRAPHICS: Table = Table::new(
    "household_demographics",
    &[
        int("hd_demo_sk").required(),
        int("hd_income_band_sk"),
        text("hd_buy_potential"),
        int("hd_dep_count"),
        int("hd_vehicle_count"),
    ],
    &["hd_demo_sk"],
);

pub(super) const CUSTOMER: Table = Table::new(
    "customer",
    &[
        int("c_customer_sk").required(),
        int("c_current_addr_sk"),
        int("c_current_cdemo_sk"),
        int("c_current_hdemo_sk"),
        text("c_customer_id"),
        text("c_first_name"),
        text("c_last_name"),
        int("c_birth_year"),
        int("c_birth_month"),
        text("c_birth_country"),
        text("c_preferred_cust_flag"),
        text("c_email_address"),
    ],
    &["c_customer_sk"],
)
.referring(&[
    to("c_current_addr_sk", "customer_address", "ca_address_sk"),
    to("c_current_cdemo_sk", "customer_demographics", "cd_demo_sk"),
    to("c_current_hdemo_sk", "household_demographics", "hd_demo_sk"),
])
.indexed(&[index("customer_addr_ix", "(c_current_addr_sk)")]);

pub(super) const STORE: Table = Table::new(
    "store",
    &[
        int("s_store_sk").required(),
        text("s_store_name"),
        text("s_city"),
        text("s_county"),
        text("s_state"),
        text("s_zip"),
        int("s_number_employees"),
        int("s_floor_space"),
        int("s_market_id"),
        int("s_tax_rate"),
        int("s_gmt_offset"),
    ],
    &["s_store_sk"],
);

pub(super) const PROMOTION: Table = Table::new(
    "promotion",
    &[
        int("p_promo_sk").required(),
        int("p_item_sk"),
        int("p_start_date_sk"),
        int("p_end_date_sk"),
        int("p_cost"),
        text("p_channel_dmail"),
        text("p_channel_email"),
        text("p_channel_tv"),
        text("p_channel_event"),
    ],
    &["p_promo_sk"],
)
.referring(&[
    to("p_item_sk", "item", "i_item_sk"),
    to("p_start_date_sk", "date_dim", "d_date_sk"),
    to("p_end_date_sk", "date_dim", "d_date_sk"),
]);

pub(super) const WAREHOUSE: Table = Table::new(
    "warehouse",
    &[
        int("w_warehouse_sk").required(),
        text("w_warehouse_name"),
        int("w_warehouse_sq_ft"),
        text("w_city"),
        text("w_state"),
    ],
    &["w_warehouse_sk"],
);

pub(super) const WEB_SITE: Table = Table::new(
    "web_site",
    &[
        int("web_site_sk").required(),
        text("web_name"),
        text("web_manager"),
        text("web_company_name"),
    ],
    &["web_site_sk"],
);

pub(super) const STORE_SALES: Table = Table::new(
    "store_sales",
    &[
        int("ss_sold_date_sk"),
        int("ss_sold_time_sk"),
        int("ss_item_sk").required(),
        int("ss_customer_sk"),
        int("ss_cdemo_sk"),
        int("ss_hdemo_sk"),
        int("ss_addr_sk"),
        int("ss_store_sk"),
        int("ss_promo_sk"),
        big("ss_ticket_number").required(),
        int("ss_quantity"),
        int("ss_wholesale_cost"),
        int("ss_list_price"),
        int("ss_sales_price"),
        int("ss_ext_discount_amt"),
        int("ss_ext_sales_price"),
        int("ss_ext_wholesale_cost"),
        int("ss_ext_list_price"),
        int("ss_ext_tax"),
        int("ss_coupon_amt"),
        int("ss_net_paid"),
        int("ss_net_profit"),
    ],
    &["ss_ticket_number", "ss_item_sk"],
)
.referring(&[
    to("ss_sold_date_sk", "date_dim", "d_date_sk"),
    to("ss_sold_time_sk", "time_dim", "t_time_sk"),
    to("ss_item_sk", "item", "i_item_sk"),
    to("ss_customer_sk", "customer", "c_customer_sk"),
    to("ss_cdemo_sk", "customer_demographics", "cd_demo_sk"),
    to("ss_hdemo_sk", "household_demographics", "hd_demo_sk"),
    to("ss_addr_sk", "customer_address", "ca_address_sk"),
    to("ss_store_sk", "store", "s_store_sk"),
    to("ss_promo_sk", "promotion", "p_promo_sk"),
])
.indexed(&[
    index("store_sales_date_ix", "(ss_sold_date_sk)"),
    index("store_sales_item_ix", "(ss_item_sk)"),
    index("store_sales_customer_ix", "(ss_customer_sk)"),
    index("store_sales_store_ix", "(ss_store_sk)"),
    index("store_sales_promo_ix", "(ss_promo_sk)"),
]);

pub(super) const STORE_RETURNS: Table = Table::new(
    "store_returns",
    &[
        int("sr_returned_date_sk"),
        int("sr_item_sk").required(),
        int("sr_customer_sk"),
        int("sr_store_sk"),
        big("sr_ticket_number").required(),
        int("sr_return_quantity"),
        int("sr_return_amt"),
        int("sr_net_loss"),
    ],
    &["sr_ticket_number", "sr_item_sk"],
)
.referring(&[
    to("sr_returned_date_sk", "date_dim", "d_date_sk"),
    to("sr_item_sk", "item", "i_item_sk"),
    to("sr_customer_sk", "customer", "c_customer_sk"),
    to("sr_store_sk", "store", "s_store_sk"),
])
.indexed(&[
    index("store_returns_date_ix", "(sr_returned_date_sk)"),
    index("store_returns_item_ix", "(sr_item_sk)"),
    index("store_returns_customer_ix", "(sr_customer_sk)"),
]);

pub(super) const WEB_SALES: Table = Table::new(
    "web_sales",
    &[
        int("ws_sold_date_sk"),
        int("ws_sold_time_sk"),
        int("ws_ship_date_sk"),
        int("ws_item_sk").required(),
        int("ws_bill_customer_sk"),
        int("ws_ship_customer_sk"),
        int("ws_web_site_sk"),
        int("ws_warehouse_sk"),
        int("ws_promo_sk"),
        big("ws_order_number").required(),
        int("ws_quantity"),
        int("ws_wholesale_cost"),
        int("ws_list_price"),
        int("ws_sales_price"),
        int("ws_ext_discount_amt"),
        int("ws_ext_sales_price"),
        int("ws_ext_wholesale_cost"),
        int("ws_ext_list_price"),
        int("ws_ext_tax"),
        int("ws_coupon_amt"),
        int("ws_net_paid"),
        int("ws_net_profit"),
        int("ws_ext_ship_cost"),
    ],
    &["ws_order_number", "ws_item_sk"],
)
.referring(&[
    to("ws_sold_date_sk", "date_dim", "d_date_sk"),
    to("ws_sold_time_sk", "time_dim", "t_time_sk"),
    to("ws_ship_date_sk", "date_dim", "d_date_sk"),
    to("ws_item_sk", "item", "i_item_sk"),
    to("ws_bill_customer_sk", "customer", "c_customer_sk"),
    to("ws_ship_customer_sk", "customer", "c_customer_sk"),
    to("ws_web_site_sk", "web_site", "web_site_sk"),
    to("ws_warehouse_sk", "warehouse", "w_warehouse_sk"),
    to("ws_promo_sk", "promotion", "p_promo_sk"),
])
.indexed(&[
    index("web_sales_date_ix", "(ws_sold_date_sk)"),
    index("web_sales_item_ix", "(ws_item_sk)"),
    index("web_sales_customer_ix", "(ws_bill_customer_sk)"),
]);

pub(super) const CATALOG_SALES: Table = Table::new(
    "catalog_sales",
    &[
        int("cs_sold_date_sk"),
        int("cs_sold_time_sk"),
        int("cs_ship_date_sk"),
        int("cs_item_sk").required(),
        int("cs_bill_customer_sk"),
        int("cs_bill_cdemo_sk"),
        int("cs_ship_customer_sk"),
        int("cs_warehouse_sk"),
        int("cs_promo_sk"),
        big("cs_order_number").required(),
        int("cs_quantity"),
        int("cs_wholesale_cost"),
        int("cs_list_price"),
        int("cs_sales_price"),
        int("cs_ext_discount_amt"),
        int("cs_ext_sales_price"),
        int("cs_ext_wholesale_cost"),
        int("cs_ext_list_price"),
        int("cs_ext_tax"),
        int("cs_coupon_amt"),
        int("cs_net_paid"),
        int("cs_net_profit"),
        int("cs_ext_ship_cost"),
    ],
    &["cs_order_number", "cs_item_sk"],
)
.referring(&[
    to("cs_sold_date_sk", "date_dim", "d_date_sk"),
    to("cs_sold_time_sk", "time_dim", "t_time_sk"),
    to("cs_ship_date_sk", "date_dim", "d_date_sk"),
    to("cs_item_sk", "item", "i_item_sk"),
    to("cs_bill_customer_sk", "customer", "c_customer_sk"),
    to("cs_bill_cdemo_sk", "customer_demographics", "cd_demo_sk"),
    to("cs_ship_customer_sk", "customer", "c_customer_sk"),
    to("cs_warehouse_sk", "warehouse", "w_warehouse_sk"),
    to("cs_promo_sk", "promotion", "p_promo_sk"),
])
.indexed(&[
    index("catalog_sales_date_ix", "(cs_sold_date_sk)"),
    index("catalog_sales_item_ix", "(cs_item_sk)"),
    index("catalog_sales_customer_ix", "(cs_bill_customer_sk)"),
]);

pub(super) const INVENTORY: Table = Table::new(
    "inventory",
    &[
        int("inv_date_sk").required(),
        int("inv_item_sk").required(),
        int("inv_warehouse_sk").required(),
        int("inv_quantity_on_hand"),
    ],
    &["inv_date_sk", "inv_item_sk", "inv_warehouse_sk"],
)
.referring(&[
    to("inv_date_sk", "date_dim", "d_date_sk"),
    to("inv_item_sk", "item", "i_item_sk"),
    to("inv_warehouse_sk", "warehouse", "w_warehouse_sk"),
])
.indexed(&[index("inventory_item_ix", "(inv_item_sk)")]);

pub(super) const RULES: &[DataRule] = &[
    DataRule {
        name: "every return has its sale",
        sql: "SELECT count(*) FROM {s}store_returns r WHERE NOT EXISTS (SELECT 1 \
              FROM {s}store_sales s WHERE s.ss_ticket_number = r.sr_ticket_number \
              AND s.ss_item_sk = r.sr_item_sk AND s.ss_quantity >= r.sr_return_quantity)",
    },
    DataRule {
        name: "every price of store_sales follows from the others",
        sql: "SELECT count(*) FROM {s}store_sales WHERE ss_ext_sales_price <> ss_quantity * ss_sales_price \
              OR ss_ext_list_price <> ss_ext_sales_price + ss_ext_discount_amt \
              OR ss_net_paid <> ss_ext_sales_price - ss_coupon_amt \
              OR ss_net_profit <> ss_net_paid - ss_ext_wholesale_cost",
    },
    DataRule {
        name: "what is shipped was sold before",
        sql: "SELECT (SELECT count(*) FROM {s}web_sales WHERE ws_ship_date_sk <= ws_sold_date_sk) \
              + (SELECT count(*) FROM {s}catalog_sales WHERE cs_ship_date_sk <= cs_sold_date_sk)",
    },
];
