/* What the parts of the fake worker know of each other. */
#pragma once

extern int fake_launch_error, fake_execution_error, fake_hazards;

/* How to misbehave: the environment variable FAKE; "right" if there is none. */
const char *fake_mode(void);

/* Work that goes on "in another stream" is waited for. */
void fake_finish(void);

void *fake_device_address(void);
