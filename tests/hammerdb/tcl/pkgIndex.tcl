# What a release of HammerDB carries and a checkout on the system's Tcl does not find. The real one wins by its version.

# Charts of jobs; nothing here asks for one.
package ifneeded ticklecharts 0.1 {package provide ticklecharts 0.1}
