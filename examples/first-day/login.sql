-- The database and the login of an application. $(password) is the login's: `millpond sql -v password=…`.
IF DB_ID(N'shop') IS NULL
    CREATE DATABASE shop;
GO
IF SUSER_ID(N'shop_app') IS NULL
    CREATE LOGIN shop_app WITH PASSWORD = N'$(password)', DEFAULT_DATABASE = shop;
ELSE
    ALTER LOGIN shop_app WITH PASSWORD = N'$(password)';
GO
USE shop;
GO
IF SCHEMA_ID(N'api') IS NULL
    EXECUTE (N'CREATE SCHEMA api AUTHORIZATION dbo');
IF DATABASE_PRINCIPAL_ID(N'shop_app') IS NULL
    CREATE USER shop_app FOR LOGIN shop_app WITH DEFAULT_SCHEMA = api;
IF DATABASE_PRINCIPAL_ID(N'application') IS NULL
    CREATE ROLE application AUTHORIZATION dbo;
GO
GRANT EXECUTE ON SCHEMA::api TO application;
ALTER ROLE application ADD MEMBER shop_app;
GO
