// 2^31 levels of templates.
// instead of all; told: excessive recursion
template <int N> struct f {
    typedef typename f<N + 1>::t t;
};
f<0>::t x;
