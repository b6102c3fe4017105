// #line gives a line the name of another's file: the message about an error in it would show that file's line.
// short; instead of all; told: undeclared_thing is not known
#line 1 "@PLACE@/secret"
int x = undeclared_thing;
