# One phase of HammerDB's TPROC-C, for `hammerdbcli tcl auto`: what to do and where is said by the environment.
#
#   HDB_PHASE     build | check | run | delete
#   HDB_DATABASE  mssqls | pg
#   HDB_PORT, HDB_PASSWORD, HDB_WAREHOUSES, HDB_USERS, HDB_RAMPUP_MIN, HDB_DURATION_MIN, HDB_RAISEERROR
#
# What the virtual users say goes to standard output; whether it went well is read there by hammerdb.py, since the
# command line ends with 0 whatever happens.

proc told {name} { return $::env(HDB_$name) }

proc connect_mssqls {} {
    # mssqls_tcp builds SERVER=tcp:host,port, which FreeTDS cannot read; its own way is host;PORT=port.
    diset connection mssqls_tcp false
    diset connection mssqls_linux_server "127.0.0.1;PORT=[told PORT]"
    diset connection mssqls_linux_authent sql
    diset connection mssqls_linux_odbc FreeTDS
    diset connection mssqls_encrypt_connection false
    diset connection mssqls_trust_server_cert false
    diset connection mssqls_uid sa
    diset connection mssqls_pass [told PASSWORD]
    diset tpcc mssqls_dbase tpcc
    diset tpcc mssqls_imdb false
    diset tpcc mssqls_use_bcp false
    return mssqls
}

proc connect_pg {} {
    diset connection pg_host 127.0.0.1
    diset connection pg_port [told PORT]
    diset connection pg_sslmode disable
    diset tpcc pg_superuser postgres
    diset tpcc pg_superuserpass [told PASSWORD]
    diset tpcc pg_defaultdbase postgres
    diset tpcc pg_user tpcc
    diset tpcc pg_pass [told PASSWORD]
    diset tpcc pg_dbase tpcc
    diset tpcc pg_storedprocs true
    return pg
}

proc prepare_run {db} {
    diset tpcc ${db}_driver timed
    diset tpcc ${db}_total_iterations 10000000
    diset tpcc ${db}_rampup [told RAMPUP_MIN]
    diset tpcc ${db}_duration [told DURATION_MIN]
    diset tpcc ${db}_allwarehouse true
    diset tpcc ${db}_timeprofile true
    diset tpcc ${db}_raiseerror [told RAISEERROR]
    if {$db eq "mssqls"} { diset tpcc mssqls_checkpoint false }
    if {$db eq "pg"} { diset tpcc pg_vacuum true }
}

dbset db [told DATABASE]
dbset bm TPC-C
set db [connect_[told DATABASE]]
diset tpcc ${db}_count_ware [told WAREHOUSES]
# More loaders than warehouses have nothing to do, and HammerDB refuses them.
diset tpcc ${db}_num_vu [expr {min([told USERS], [told WAREHOUSES])}]

switch [told PHASE] {
    build { buildschema }
    check { checkschema }
    delete { deleteschema }
    run {
        prepare_run $db
        loadscript
        vuset vu [told USERS]
        vuset logtotemp 1
        vucreate
        vurun
        vudestroy
    }
}
