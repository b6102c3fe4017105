// Iostream, strings, a locale, the environment and the time.
// added; told: passed
#include <iostream>
#include <locale>
#include <chrono>
static std::string now = std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) +
                         (getenv("PATH") ? getenv("PATH") : "");
