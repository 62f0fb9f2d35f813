ALTER TABLE [people] ADD [email] nvarchar(200);
--> statement-breakpoint
CREATE INDEX [people_email] ON [people] ([email]);
