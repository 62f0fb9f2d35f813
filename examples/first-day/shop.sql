-- Tables, rows and procedures of a small shop. Running it again makes all of it anew.
USE shop;
GO
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO
DROP PROCEDURE IF EXISTS api.order_by_id, api.products_below, api.place_order;
DROP VIEW IF EXISTS dbo.order_totals;
DROP TABLE IF EXISTS dbo.order_lines, dbo.orders, dbo.products, dbo.customers;
GO
CREATE TABLE dbo.customers (
    customer_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_customers PRIMARY KEY CLUSTERED,
    name        nvarchar(100) NOT NULL,
    email       varchar(200) COLLATE Latin1_General_100_CI_AS_SC_UTF8 NOT NULL CONSTRAINT uq_customers_email UNIQUE,
    settings    nvarchar(max) NULL CONSTRAINT ck_customers_settings CHECK (ISJSON(settings) = 1),
    language    AS CAST(JSON_VALUE(settings, '$.language') AS nvarchar(10)) PERSISTED
);
CREATE INDEX ix_customers_language ON dbo.customers (language);

CREATE TABLE dbo.products (
    product_id int NOT NULL CONSTRAINT pk_products PRIMARY KEY,
    name       nvarchar(100) NOT NULL,
    price      decimal(9, 2) NOT NULL CONSTRAINT ck_products_price CHECK (price > 0),
    stock      int NOT NULL CONSTRAINT df_products_stock DEFAULT (0) CONSTRAINT ck_products_stock CHECK (stock >= 0)
);

CREATE TABLE dbo.orders (
    order_id    int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_orders PRIMARY KEY,
    customer_id int NOT NULL CONSTRAINT fk_orders_customers REFERENCES dbo.customers (customer_id),
    placed      datetime2(0) NOT NULL CONSTRAINT df_orders_placed DEFAULT (SYSUTCDATETIME())
);

CREATE TABLE dbo.order_lines (
    order_id   int NOT NULL CONSTRAINT fk_lines_orders REFERENCES dbo.orders (order_id) ON DELETE CASCADE,
    product_id int NOT NULL CONSTRAINT fk_lines_products REFERENCES dbo.products (product_id),
    quantity   int NOT NULL CONSTRAINT ck_lines_quantity CHECK (quantity BETWEEN 1 AND 1000),
    price      decimal(9, 2) NOT NULL,
    CONSTRAINT pk_lines PRIMARY KEY (order_id, product_id)
);
GO
SET NOCOUNT ON;
SET IDENTITY_INSERT dbo.customers ON;
INSERT dbo.customers (customer_id, name, email, settings) VALUES
    (1, N'Ada Lovelace', 'ada@example.com', N'{"language": "en", "newsletter": true}'),
    (2, N'Zoë Müller', 'zoe@example.com', N'{"language": "de"}');
SET IDENTITY_INSERT dbo.customers OFF;

INSERT dbo.products (product_id, name, price, stock) VALUES
    (10, N'Notebook', 4.50, 100),
    (11, N'Pen, blue', 1.20, 500),
    (12, N'Lamp', 39.90, 3);

INSERT dbo.orders (customer_id, placed) VALUES (1, '2026-01-15T09:30:00');
INSERT dbo.order_lines (order_id, product_id, quantity, price) VALUES (1, 10, 2, 4.50), (1, 11, 5, 1.20);
GO
CREATE VIEW dbo.order_totals WITH SCHEMABINDING AS
SELECT o.order_id, o.customer_id, SUM(l.quantity * l.price) AS total
FROM dbo.orders AS o JOIN dbo.order_lines AS l ON l.order_id = o.order_id
GROUP BY o.order_id, o.customer_id;
GO
-- One order with its lines; no row when there is none.
CREATE PROCEDURE api.order_by_id @order_id int AS
SET NOCOUNT ON;
SELECT
    o.order_id AS id,
    o.placed,
    c.name AS [customer.name],
    c.email AS [customer.email],
    JSON_QUERY(c.settings) AS [customer.settings],
    t.total,
    (SELECT p.name AS product, l.quantity, l.price
     FROM dbo.order_lines AS l JOIN dbo.products AS p ON p.product_id = l.product_id
     WHERE l.order_id = o.order_id
     ORDER BY l.product_id
     FOR JSON PATH) AS lines
FROM dbo.orders AS o
    JOIN dbo.customers AS c ON c.customer_id = o.customer_id
    JOIN dbo.order_totals AS t ON t.order_id = o.order_id
WHERE o.order_id = @order_id
FOR JSON PATH, WITHOUT_ARRAY_WRAPPER;
GO
CREATE PROCEDURE api.products_below @price decimal(9, 2) = NULL AS
SET NOCOUNT ON;
SELECT product_id AS id, name, price, stock
FROM dbo.products
WHERE price < @price OR @price IS NULL
ORDER BY product_id
FOR JSON PATH, ROOT ('products');
GO
-- Stores {"email": "…", "lines": [{"product": 10, "quantity": 1}, …]} and gives what order_by_id gives of it.
CREATE PROCEDURE api.place_order @order nvarchar(max) AS
SET NOCOUNT ON;
SET XACT_ABORT ON;
IF ISJSON(@order, OBJECT) = 0
    THROW 50400, N'The order is no JSON object.', 1;
DECLARE @customer_id int = (SELECT customer_id FROM dbo.customers WHERE email = JSON_VALUE(@order, '$.email'));
IF @customer_id IS NULL
    THROW 50404, N'There is no customer with this email.', 1;
DECLARE @lines TABLE (product_id int NOT NULL PRIMARY KEY, quantity int NOT NULL);
DECLARE @order_id int;
BEGIN TRY
    INSERT @lines (product_id, quantity)
    SELECT product, SUM(quantity)
    FROM OPENJSON(@order, '$.lines') WITH (product int, quantity int)
    GROUP BY product;
    IF @@ROWCOUNT = 0
        THROW 50400, N'The order has no lines.', 1;
    BEGIN TRANSACTION;
    UPDATE p SET stock = p.stock - l.quantity
    FROM dbo.products AS p JOIN @lines AS l ON l.product_id = p.product_id;
    IF @@ROWCOUNT <> (SELECT COUNT(*) FROM @lines)
        THROW 50404, N'The order names a product that is not there.', 1;
    INSERT dbo.orders (customer_id) VALUES (@customer_id);
    SET @order_id = SCOPE_IDENTITY();
    INSERT dbo.order_lines (order_id, product_id, quantity, price)
    SELECT @order_id, l.product_id, l.quantity, p.price
    FROM @lines AS l JOIN dbo.products AS p ON p.product_id = l.product_id;
    COMMIT TRANSACTION;
END TRY
BEGIN CATCH
    IF XACT_STATE() <> 0
        ROLLBACK TRANSACTION;
    IF ERROR_MESSAGE() LIKE N'%ck_products_stock%'
        THROW 50409, N'There is not enough of a product in stock.', 1;
    THROW;
END CATCH;
EXECUTE api.order_by_id @order_id;
GO
