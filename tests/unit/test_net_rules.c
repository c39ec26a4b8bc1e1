/* SPDX-License-Identifier: Apache-2.0 */
#include "network/rules.h"

#include "base/mem.h"
#include "tap.h"

static struct net_rules rules_of(const char *text)
{
    struct net_rules rules;
    struct err err;

    if (!OK(net_rules_read(str_from(text), &rules, &err) == 0, "'%s' can be read", text))
        printf("# %s\n", err.msg);
    return rules;
}

static bool name(const struct net_rules *rules, const char *host, uint16_t port)
{
    return net_rules_allow_name(rules, str_from(host), port);
}

static bool address(const struct net_rules *rules, const char *text, uint16_t port)
{
    struct net_address a;

    return net_address_read(str_from(text), &a) && net_rules_allow_address(rules, &a, port);
}

static void test_names(void)
{
    struct net_rules r = rules_of("allow:API.Example.com, *.example.org:8443,one.example.net.");

    OK(name(&r, "api.example.com", 80) && name(&r, "api.example.com", 443),
       "both ports of the web");
    OK(!name(&r, "api.example.com", 8443), "another port");
    OK(!name(&r, "example.com", 443) && !name(&r, "x.api.example.com", 443), "another name");
    OK(name(&r, "a.example.org", 8443) && name(&r, "a.b.example.org", 8443), "below a domain");
    OK(!name(&r, "example.org", 8443), "not the domain itself");
    OK(!name(&r, "notexample.org", 8443) && !name(&r, ".example.org", 8443), "not a longer label");
    OK(!name(&r, "a.example.org", 443), "not at another port");
    OK(name(&r, "a.example.org", 0), "known at some port");
    OK(name(&r, "one.example.net", 443), "the root's dot is left out");
    OK(net_rules_has_name(&r, str_from("api.example.com")), "written itself");
    OK(!net_rules_has_name(&r, str_from("a.example.org")), "not written itself");
    net_rules_done(&r);
    r = rules_of("*");
    OK(name(&r, "any.name", 443) && !name(&r, "any.name", 22), "every name, at the web's ports");
    OK(!address(&r, "9.9.9.9", 443), "no bare address");
    net_rules_done(&r);
}

static void test_addresses(void)
{
    struct net_rules r = rules_of("10.1.2.3:5432,[2001:db8::7]:443,127.0.0.1:8080,fd00::1");

    OK(address(&r, "10.1.2.3", 5432) && !address(&r, "10.1.2.3", 443), "its port alone");
    OK(address(&r, "::ffff:10.1.2.3", 5432), "the mapped form is the same address");
    OK(!address(&r, "10.1.2.4", 5432), "not a neighbour");
    OK(address(&r, "2001:db8::7", 443) && address(&r, "2001:db8:0::7", 443), "IPv6");
    OK(address(&r, "fd00::1", 80), "IPv6 without a port");
    OK(!name(&r, "10.1.2.3", 5432), "no name");
    net_rules_done(&r);
}

static const char *const wrong[] = {
    "",
    "allow:",
    "https://api.example.com",
    "api.example.com/path",
    "a,,b",
    "a*.example.com",
    "*.",
    "-a.example.com",
    "a-.example.com",
    "a..b",
    "a b",
    "\xc3\xa4.example.com",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "010.1.2.3",
    "a.example.com:0",
    "a.example.com:65536",
    "a.example.com:http",
    "a.example.com:",
    "a.example.com:*",
    "a.example.com:53",
    "a.example.com:25",
    "10.0.0.1:587",
    "[2001:db8::7",
    "[2001:db8::7]443",
    "169.254.169.254",
    "169.254.169.254:80",
    "[::ffff:169.254.169.254]:80",
    "[64:ff9b::a9fe:a9fe]:80",
    "[fd00:ec2::254]:80",
    "198.18.0.1:80",
    "localhost:8080",
    "a.localhost",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com",
};

static void test_wrong(void)
{
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        struct net_rules r;
        struct err err = {0};
        bool refused = net_rules_read(str_from(wrong[i]), &r, &err) < 0 && err.msg[0];
        if (!OK(refused, "'%s' is refused", wrong[i]))
            net_rules_done(&r);
    }
}

static void test_ports(void)
{
    uint16_t ports[NET_PORTS_MAX];
    struct net_rules r = rules_of("a.b:8443,c.d,e.f:8443,g.h:443,10.0.0.1:5432");
    struct err err;

    EQ_INT(net_rules_ports(&r, ports), 4);
    OK(ports[0] == 80 && ports[1] == 443 && ports[2] == 8443 && ports[3] == 5432, "each once");
    net_rules_done(&r);
    OK(net_rules_read(STR("a.b:1,a.b:2,a.b:3,a.b:4,a.b:5,a.b:6,a.b:7,a.b:8,a.b:9,a.b:10"), &r,
                      &err) == 0,
       "twelve ports");
    net_rules_done(&r);
    OK(net_rules_read(STR("a.b:1,a.b:2,a.b:3,a.b:4,a.b:5,a.b:6,a.b:7,a.b:8,a.b:9,a.b:10,a.b:11"),
                      &r, &err) < 0 &&
           err.kind == ERR_LIMIT,
       "thirteen are too many");
}

static bool within(const char *rules_text, const char *patterns_text)
{
    struct net_rules rules = rules_of(rules_text), patterns;
    struct err err;

    if (!OK(net_patterns_read(str_from(patterns_text), &patterns, &err) == 0, "patterns '%s'",
            patterns_text))
        return false;
    bool covered = !net_rules_beyond(&rules, &patterns);
    net_rules_done(&rules);
    net_rules_done(&patterns);
    return covered;
}

static void test_patterns(void)
{
    OK(within("a.example.org", "*.example.org"), "a name below");
    OK(within("*.a.example.org", "*.example.org"), "names below a name below");
    OK(within("*.example.org", "*.example.org"), "the same");
    OK(!within("*.example.org", "a.example.org"), "more than one name");
    OK(!within("example.org", "*.example.org"), "the domain itself");
    OK(!within("*", "*.example.org"), "every name");
    OK(!within("a.example.org:8443", "*.example.org"), "another port");
    OK(within("a.example.org:8443", "*.example.org:*"), "any port");
    OK(within("a.example.org:443", "a.example.org"), "one of the two ports");
    OK(!within("a.example.org", "a.example.org:443"), "two ports for one");
    OK(!within("10.0.0.1:80", "*:*"), "names are no addresses");
    OK(within("10.0.0.1:80", "10.0.0.1:80"), "an address");
    OK(!within("a.example.org,b.example.com", "*.example.org"), "one of two");
}

static void test_write(void)
{
    struct net_rules r = rules_of("a.b,*.c.d:22,*,[2001:db8::7]:9,10.0.0.1");
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1000);
    for (size_t i = 0; i < r.n; i++) {
        if (i)
            (void)buf_addc(&b, ' ');
        net_rule_write(&r.list[i], &b);
    }
    EQ_STR(b.p, "a.b *.c.d:22 * [2001:db8::7]:9 10.0.0.1");
    net_rules_done(&r);
}

static void test_advice(void)
{
    static const char *const rows[][2] = {
        {"alow:api.example.com", "did you mean allow:api.example.com?"},
        {"allow=api.example.com", "did you mean allow:api.example.com?"},
        {"http://api.example.com/", "give the host alone: api.example.com"},
        {"allow:api.example.com/path", "give the host alone: api.example.com"},
        {"https://u:p@api.example.com:8443/x?a", "give the host alone: api.example.com:8443"},
        {"a.example.com,b.example.com/x", "give the host alone: b.example.com"},
        {"http:///", "is not a port"},
    };
    struct net_rules r;
    struct err err;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool refused = net_rules_read(str_from(rows[i][0]), &r, &err) < 0;
        if (!OK(refused && strstr(err.msg, rows[i][1]), "'%s': %s", rows[i][0], rows[i][1]))
            printf("# %s\n", refused ? err.msg : "not refused");
    }
    OK(net_rules_read(STR("allow:allow:443"), &r, &err) == 0, "a host may be called 'allow'");
    net_rules_done(&r);
}

static const struct {
    const char *text;
    bool is_public;
} list[] = {
    {"1.1.1.1", true},
    {"203.0.113.7", true},
    {"198.51.100.7", true},
    {"192.0.2.7", true},
    {"2001:db8::1", true},
    {"2606:4700::1111", true},
    {"64:ff9b::101:101", true},
    {"172.15.255.255", true},
    {"172.32.0.0", true},
    {"0.0.0.0", false},
    {"10.0.0.1", false},
    {"100.64.0.1", false},
    {"100.100.100.200", false},
    {"127.0.0.1", false},
    {"127.9.9.9", false},
    {"169.254.1.1", false},
    {"169.254.169.254", false},
    {"168.63.129.16", false},
    {"172.16.0.1", false},
    {"172.31.255.255", false},
    {"192.0.0.192", false},
    {"192.168.1.1", false},
    {"198.18.0.5", false},
    {"198.19.255.255", false},
    {"224.0.0.1", false},
    {"239.255.255.255", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"::", false},
    {"::1", false},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.0.0.1", false},
    {"::127.0.0.1", false},
    {"64:ff9b::7f00:1", false},
    {"64:ff9b::a00:1", false},
    {"64:ff9b:1::1", false},
    {"2002:7f00:1::", false},
    {"2001:0:7f00:1::", false},
    {"fc00::1", false},
    {"fd00:ec2::254", false},
    {"fe80::1", false},
    {"fec0::1", false},
    {"ff02::1", false},
    {"100::1", false},
};

static void test_list(void)
{
    for (size_t i = 0; i < ARRAY_LEN(list); i++) {
        struct net_address a;
        bool is_read = net_address_read(str_from(list[i].text), &a);
        OK(is_read && !net_address_denied(&a) == list[i].is_public, "%s is %s", list[i].text,
           list[i].is_public ? "public" : "not public");
    }
}

int main(void)
{
    RUN(test_names());
    RUN(test_addresses());
    RUN(test_wrong());
    RUN(test_advice());
    RUN(test_ports());
    RUN(test_patterns());
    RUN(test_write());
    RUN(test_list());
    return tap_done();
}
