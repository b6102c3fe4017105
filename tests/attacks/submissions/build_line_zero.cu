// #line gives a line the name of a device that never ends: who looks the line up reads for ever.
// instead of all; told: undeclared_thing is not known
#line 1 "/dev/zero"
int x = undeclared_thing;
