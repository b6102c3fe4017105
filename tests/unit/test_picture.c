/* Pictures: what is drawn where, and that mistakes show in them. */
#include "test.h"
#include "picture/picture.h"

/* An access of lanes at `first + lane * distance`; what it costs is counted here once more, in another way. */
struct made {
    uint64_t address[32];
    struct picture_access access;
    struct picture_units units;
};

static void make(struct made *m, bool is_shared, int size, uint32_t lanes, uint64_t first, uint64_t distance,
                 int cost, int least)
{
    for (uint64_t lane = 0; lane < 32; lane++)
        m->address[lane] = first + lane * distance;
    m->access = (struct picture_access){is_shared, false, size, lanes, m->address, cost, least};
    picture_find_units(&m->access, &m->units);
}

static int extra(const struct made *m)
{
    int count = 0;
    for (int i = 0; i < m->units.count; i++)
        count += picture_is_extra(&m->access, &m->units, i);
    return count;
}

/* ---- lanes ---- */

/* `cost`, `least`: sectors or wavefronts; `units`: sectors, or the words of the bank that has most. */
TEST(sectors_and_banks)
{
    static const struct {
        const char *what;
        bool is_shared;
        uint64_t first, distance;
        int cost, least, units, extra;
    } cases[] = {
        {"neighbors", false, 1024, 4, 4, 4, 4, 0},
        {"a shift by one: a fifth sector", false, 1028, 4, 5, 4, 5, 1},
        {"a sector for each lane", false, 0, 128, 32, 4, 32, 28},
        {"every second word", false, 0, 8, 8, 4, 8, 4},
        {"one address", false, 4096, 0, 1, 1, 1, 0},
        {"a column of a tile lies in one bank", true, 0, 32 * 4, 32, 1, 32, 31},
        {"padding spreads the column", true, 0, 33 * 4, 1, 1, 1, 0},
        {"every second word uses half of the banks", true, 0, 8, 2, 1, 2, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        make(&m, cases[i].is_shared, 4, UINT32_MAX, cases[i].first, cases[i].distance, cases[i].cost,
             cases[i].least);
        const int units = cases[i].is_shared ? m.units.most : m.units.count;
        if (units != cases[i].units || extra(&m) != cases[i].extra)
            fail_msg("%s: %d, and %d are extra", cases[i].what, units, extra(&m));
    }
}

TEST(a_missing_lane_has_no_line)
{
    struct made m;
    make(&m, false, 4, 0x7fffffff, 0, 4, 4, 4);
    assert_int_equal(m.units.of_lane[31], -1);
    assert_int_equal(m.units.of_lane[30], 3);
}

TEST(atomics_to_one_word_take_turns)
{
    struct made m;
    make(&m, false, 4, 0x0000ffff, 4096, 0, 1, 1);
    assert_int_equal(m.units.turns, 0);
    m.access.is_atomic = true;
    picture_find_units(&m.access, &m.units);
    assert_int_equal(m.units.turns, 16);
}

TEST(wild_addresses_stay_inside)
{
    struct made m;
    make(&m, true, 16, UINT32_MAX, UINT64_MAX - 200, 17, 9, 4);
    assert_true(m.units.count <= PICTURE_LANES * 4);
    make(&m, false, 16, UINT32_MAX, 3, 31, 9, 4);
    assert_true(m.units.count <= PICTURE_LANES * 4);
}

/* ---- elements and active lanes ---- */

TEST(a_missing_tail_and_a_second_store_are_counted)
{
    struct picture_owners owners = {.count = 100};
    int missing, repeated;
    for (int i = 0; i < 96; i++)
        owners.stores[i] = 1;
    owners.stores[5] = 2;
    picture_count_owners(&owners, &missing, &repeated);
    assert_int_equal(missing, 4);
    assert_int_equal(repeated, 1);
}

/* Cells in the paths that begin with `M` and end with this class. */
static int cells(const char *svg, const char *class)
{
    int count = 0;
    for (const char *at = strstr(svg, class); at; at = strstr(at + 1, class))
        for (const char *cell = at; *cell != '<'; cell--)
            count += *cell == 'M';
    return count;
}

TEST(the_idle_half_is_gray)
{
    const struct picture_step steps[] = {{"a", UINT32_MAX}, {"b", 0x0000ffff}, {"c", 0xffff0000}};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_strip(memory, steps, 3, "lanes");
    fclose(memory);
    assert_int_equal(cells(svg, "class=\"lane\""), 64);
    assert_int_equal(cells(svg, "class=\"lane off\""), 32);
    free(svg);
}

/* ---- races ---- */

TEST(an_order_says_what_comes_out)
{
    char text[128];
    struct picture_party party[2] = {{"A", "x = s[0];", false}, {"B", "s[0] = y;", true}};
    picture_race_ending(party, 0, text, sizeof text);
    assert_string_equal(text, "A reads what was there before");
    picture_race_ending(party, 1, text, sizeof text);
    assert_string_equal(text, "A reads what B stored");
    party[0].writes = true;
    picture_race_ending(party, 0, text, sizeof text);
    assert_string_equal(text, "what A stored is lost");
}

static int count_of(const char *svg, const char *words)
{
    int count = 0;
    for (const char *at = strstr(svg, words); at; at = strstr(at + 1, words))
        count++;
    return count;
}

TEST(a_race_is_drawn_as_far_as_it_has_come)
{
    const struct picture_party party[2] = {{"A", "x = s[0];", false}, {"B", "s[0] = y;", true}};
    for (int done = 0; done <= 2; done++) {
        char *svg = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&svg, &size);
        assert_non_null(memory);
        picture_race(memory, party, "s", 1, done);
        fclose(memory);
        assert_int_equal(count_of(svg, "class=\"access write\""), done >= 1);
        assert_int_equal(count_of(svg, "class=\"access read\""), done >= 2);
        assert_int_equal(count_of(svg, ">A reads what B stored<"), done == 2);
        free(svg);
    }
}

TEST(a_race_names_its_word_in_full)
{
    const struct picture_party party[2] = {{"A", "", false}, {"B", "", true}};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_race(memory, party, "shared array s_buffer (byte 388)", 0, 2);
    fclose(memory);
    assert_int_equal(count_of(svg, ">shared array s_buffer (byte 388)<"), 1);
    free(svg);
}

/* ---- what is drawn of lanes ---- */

/* Half of the lanes, each with half a sector: its line ends in the middle of its bytes, at 1/4 or 3/4 of the sector. */
TEST(a_vector_shows_how_wide_it_is_and_who_takes_no_part)
{
    struct made m;
    make(&m, false, 16, 0x0000ffff, 1024, 16, 8, 8);
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_lanes(memory, &m.access, 1024, 4, "vectors");
    fclose(memory);
    assert_int_equal(count_of(svg, ">16 bytes<"), 1);
    assert_int_equal(count_of(svg, ">takes no part<"), 1);
    const double first = 62 + 85 * 0.25, second = 62 + 85 * 0.75; /* the first sector, 85 pixels wide */
    char line[64];
    snprintf(line, sizeof line, "M71 36L%.4g 110M93 36L%.4g 110", first, second);
    assert_int_equal(count_of(svg, line), 1);
    free(svg);
}

/* ---- one SM ---- */

TEST(an_sm_shows_its_loads_in_flight_and_its_rate)
{
    const struct picture_sm sm = {.blocks = 2, .warps = 8, .loads = 4, .rate = 750, .roof = 3000};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_sm(memory, &sm, "an SM");
    fclose(memory);
    assert_int_equal(cells(svg, "class=\"load\""), 2 * 8 * 4);
    assert_int_equal(count_of(svg, "class=\"own\""), PICTURE_SM_BLOCKS - 2); /* empty places */
    assert_int_equal(count_of(svg, ">at most 8 KB in flight<"), 1);
    assert_int_equal(count_of(svg, "height=\"31.5\" class=\"even\""), 1); /* a quarter of the bar's 126 */
    free(svg);
}

/* ---- speeds ---- */

/* Heights that differ by a name's, but for rounding: each name finds its place. */
TEST(names_that_are_close_all_find_a_place)
{
    char *text = NULL;
    size_t size = 0;
    struct picture_speed speed[20];
    for (int way = 1; way < 200; way++) {
        for (int i = 0; i < 20; i++)
            speed[i] = (struct picture_speed){
                .name = "k", .intensity = 64, .gflops = 59000 + 7.3 * way + 0.01 * way * (i % 3)};
        struct picture_roof roof = {.gflops = 66000, .gbs = 2990};
        picture_fit_roof(&roof, speed, 20);
        FILE *out = open_memstream(&text, &size);
        picture_roofline(out, &roof, speed, 20, "names");
        fclose(out);
        free(text);
    }
}

TEST(a_name_stands_beside_its_point)
{
    const struct picture_spot other = {94, 106, 100};
    struct picture_spot spot = picture_place_name(&other, 1, 100, 100, 50);
    assert_true(spot.left == 109 && spot.y == 100);
    const struct picture_spot taken[] = {other, spot};
    spot = picture_place_name(taken, 2, 100, 100, 50);
    assert_true(spot.right == 91 && spot.y == 100); /* left of it, before it moves down */
    spot = picture_place_name(taken, 2, 400, 100, 50);
    assert_true(spot.left == 409 && spot.y == 100); /* what is far away does not push it */
}

TEST(a_name_does_not_lie_on_the_roof)
{
    const struct picture_speed speed = {.name = "k", .intensity = 256, .gflops = 900};
    struct picture_roof roof = {.gflops = 1000, .gbs = 100};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_fit_roof(&roof, &speed, 1);
    picture_roofline(memory, &roof, &speed, 1, "near the roof");
    fclose(memory);
    const char *end = strstr(svg, "\" class=\"small name");
    assert_non_null(end);
    while (end[-1] != '"')
        end--;
    assert_true(atof(end) - 8 > picture_roof_y(&roof, 1000) + 1); /* the letters' upper edge */
    free(svg);
}

TEST(a_kernel_lies_under_the_roof)
{
    const struct picture_speed speed = {.name = "k", .part = 0.5, .intensity = 0.25, .gflops = 100};
    struct picture_roof roof = {.gflops = 1000, .gbs = 800};
    picture_fit_roof(&roof, &speed, 1);
    assert_true(picture_roof_x(&roof, 0.25) > PICTURE_ROOF_LEFT);
    assert_true(picture_roof_x(&roof, 0.25) < picture_roof_x(&roof, 1.25));
    assert_true(picture_roof_y(&roof, 100) > picture_roof_y(&roof, 0.25 * 800)); /* y runs downwards */
    assert_true(picture_roof_y(&roof, 1000) >= PICTURE_ROOF_TOP);
}

/* ---- text ---- */

TEST(text_is_no_markup)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    assert_non_null(memory);
    picture_escape(memory, "</pre><script>\"a\" & 'b'\033");
    fclose(memory);
    assert_string_equal(text, "&lt;/pre&gt;&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;?");
    free(text);
}

RUN_ALL
