// An initialized array of 30 GB: the object file fills the disk.
// instead of all; told:
char big[32212254720] = {1};
