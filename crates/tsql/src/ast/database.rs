//! Databases: their files, filegroups and options.

use super::name::Ident;
use super::option::NamedOption;

/// Actions of ALTER DATABASE.
#[derive(Clone, Debug)]
pub enum AlterDatabase {
    /// `ADD FILE (…), …`
    AddFile {
        /// Files.
        files: Vec<FileSpec>,
        /// `ADD LOG FILE`
        log: bool,
        /// `TO FILEGROUP name`
        filegroup: Option<Ident>,
    },
    /// `MODIFY FILE (…)`
    ModifyFile(FileSpec),
    /// `REMOVE FILE name`
    RemoveFile(Ident),
    /// `MODIFY NAME = name`
    ModifyName(Ident),
    /// `COLLATE name`
    Collate(Ident),
    /// `ADD FILEGROUP name [CONTAINS FILESTREAM|MEMORY_OPTIMIZED_DATA]`
    AddFilegroup {
        /// Filegroup.
        name: Ident,
        /// CONTAINS
        contains: Option<FilegroupContents>,
    },
    /// `REMOVE FILEGROUP name`
    RemoveFilegroup(Ident),
    /// `MODIFY FILEGROUP name property`
    ModifyFilegroup {
        /// Filegroup.
        name: Ident,
        /// Property.
        property: FilegroupProperty,
    },
    /// `SET option, … [WITH termination]`
    Set {
        /// Options.
        options: Vec<NamedOption>,
        /// What becomes of the sessions that use the database.
        termination: Option<Termination>,
    },
}

/// `(NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = …, NEWNAME = …, OFFLINE)`
#[derive(Clone, Debug, Default)]
pub struct FileSpec {
    /// NAME
    pub name: Option<Ident>,
    /// NEWNAME
    pub new_name: Option<Ident>,
    /// FILENAME
    pub file_name: Option<String>,
    /// SIZE in KB
    pub size_kb: Option<u64>,
    /// MAXSIZE
    pub max_size: Option<FileLimit>,
    /// FILEGROWTH
    pub growth: Option<FileGrowth>,
    /// OFFLINE
    pub offline: bool,
    /// Option written twice (1039) or unknown, upper-case.
    pub duplicate: Option<String>,
}

/// MAXSIZE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLimit {
    /// UNLIMITED
    Unlimited,
    /// In KB.
    Kb(u64),
}

/// FILEGROWTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGrowth {
    /// In KB; 0 = off.
    Kb(u64),
    /// Percent of the size.
    Percent(u32),
}

/// What a filegroup holds beside rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilegroupContents {
    /// FILESTREAM
    FileStream,
    /// MEMORY_OPTIMIZED_DATA
    MemoryOptimized,
}

/// What MODIFY FILEGROUP changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilegroupProperty {
    /// READ_ONLY, READONLY
    ReadOnly,
    /// READ_WRITE, READWRITE
    ReadWrite,
    /// DEFAULT
    Default,
    /// `NAME = name`
    Name(Ident),
    /// AUTOGROW_ALL_FILES
    AutogrowAllFiles,
    /// AUTOGROW_SINGLE_FILE
    AutogrowSingleFile,
}

/// WITH … after ALTER DATABASE … SET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// ROLLBACK IMMEDIATE
    Immediate,
    /// `ROLLBACK AFTER n [SECONDS]`
    After {
        /// Seconds.
        wait_s: u32,
    },
    /// NO_WAIT
    NoWait,
}

/// `CREATE DATABASE name …`
#[derive(Clone, Debug)]
pub struct CreateDatabase {
    /// Name.
    pub name: Ident,
    /// `CONTAINMENT = NONE|PARTIAL`, upper-case
    pub containment: Option<String>,
    /// Filegroups of `ON …`; the first is PRIMARY.
    pub filegroups: Vec<FilegroupSpec>,
    /// LOG ON
    pub log: Vec<FileSpec>,
    /// COLLATE
    pub collation: Option<Ident>,
    /// FOR ATTACH, AS SNAPSHOT OF
    pub origin: DatabaseOrigin,
    /// `WITH …`
    pub options: Vec<NamedOption>,
}

/// What a database begins with.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum DatabaseOrigin {
    /// Copied from model.
    #[default]
    New,
    /// FOR ATTACH
    Attach,
    /// FOR ATTACH_REBUILD_LOG
    AttachRebuildLog,
    /// `AS SNAPSHOT OF name`
    Snapshot(Ident),
    /// `AS COPY OF name`
    Copy(Ident),
}

/// Files of one filegroup of CREATE DATABASE.
#[derive(Clone, Debug)]
pub struct FilegroupSpec {
    /// `PRIMARY` for the first.
    pub name: Ident,
    /// CONTAINS
    pub contains: Option<FilegroupContents>,
    /// DEFAULT
    pub default: bool,
    /// Files.
    pub files: Vec<FileSpec>,
}

/// `ALTER DATABASE SCOPED CONFIGURATION [FOR SECONDARY] SET|CLEAR option [= value]`
#[derive(Clone, Debug)]
pub struct ScopedConfiguration {
    /// FOR SECONDARY
    pub secondary: bool,
    /// CLEAR
    pub clear: bool,
    /// `MAXDOP = 4`, `PROCEDURE_CACHE`
    pub option: NamedOption,
}
