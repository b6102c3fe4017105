#include "sim/api/api_state.h"

void api_runner_start(void)
{
}
