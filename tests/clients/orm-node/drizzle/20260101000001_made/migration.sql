CREATE TABLE [people] (
	[id] int IDENTITY(1, 1),
	[name] nvarchar(100) NOT NULL,
	[years] int CONSTRAINT [people_years_default] DEFAULT ((18)),
	CONSTRAINT [people_pkey] PRIMARY KEY([id]),
	CONSTRAINT [people_name_key] UNIQUE([name])
);
--> statement-breakpoint
CREATE TABLE [books] (
	[id] int IDENTITY(1, 1),
	[owner] int,
	[title] nvarchar(max),
	[price] decimal(19, 4),
	[number] bigint,
	[scan] varbinary(max),
	[printed] datetime2(3),
	[lent] bit NOT NULL CONSTRAINT [books_lent_default] DEFAULT ((0)),
	CONSTRAINT [books_pkey] PRIMARY KEY([id])
);
--> statement-breakpoint
ALTER TABLE [books] ADD CONSTRAINT [books_owner_people_id_fk] FOREIGN KEY ([owner]) REFERENCES [people]([id]) ON DELETE CASCADE;
