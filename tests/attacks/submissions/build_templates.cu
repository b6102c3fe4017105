// Endless templates.
// instead of all; told: excessive recursion
template <int N, int M> struct f {
    static const long v = f<N - 1, M>::v + f<N - 1, M + 1>::v;
};
template <int M> struct f<0, M> {
    static const long v = M;
};
long endless = f<800, 0>::v;
