/* Removes a folder with all that is in it, however deep it is and whatever its rights are; links are not followed. */
#ifndef HARNESS_TREE_H
#define HARNESS_TREE_H

void tree_remove(const char *path);

#endif
