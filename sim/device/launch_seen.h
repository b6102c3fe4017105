/* Which launches does a program make? For a host of the simulator that tries what would make it right. */
#ifndef SIM_LAUNCH_SEEN_H
#define SIM_LAUNCH_SEEN_H

#define SIM_SEEN_LAUNCHES 8

/* Where the program launches. */
struct sim_seen_launch {
    char file[192];
    int line; /* 0: not known */
};

/* From now on launches are noted. */
void sim_note_launches(void);
/* Those noted since then, the first ones. Valid until the next call of sim_note_launches. */
int sim_seen_launches(const struct sim_seen_launch **list);

#endif
