# What a release of HammerDB carries and a checkout on the system's Tcl does not find. The real ones win when they are
# there: a package by its version, a command because the library defines it anew.

# Charts of jobs; nothing here asks for one.
package ifneeded ticklecharts 0.1 {package provide ticklecharts 0.1}

# Debian's Pgtcl lacks it; HammerDB has PostgreSQL's notices printed with it.
if {[info commands ::pg_notice_handler] eq ""} { proc ::pg_notice_handler args {} }
