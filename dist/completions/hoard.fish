function __hoard_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __hoard_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __hoard_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __hoard_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __hoard_parse_tokens -S
    set -l unparsed_tokens (__hoard_tokens -pc)
    switch $unparsed_tokens[1]
    case 'hoard'
        __hoard_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'proxy'
            __hoard_parse_subcommand 0 'config=' 'check-config' 'print-config' 'explain=' 'origin=+' 'trusted-proxies=+' 'listen=+' 'tls-certificates=' 'tls-key=' 'tls-version=' 'tls-ciphers=' 'client-authorities=' 'client-certificates=' 'http2=' 'proxy-protocol=' 'directory=' 'max-bytes=' 'max-entries=' 'memory-bytes=' 'max-object-bytes=' 'cdn-targets=' 'stale-if-unreachable=' 'revalidation-period=' 'collapse-timeout=' 'variants=' 'query-bytes=' 'digests=' 'codings=' 'dictionary-bytes=' 'in-flight-bytes=' 'name=' 'redis=' 'redis-password-file=' 'redis-trust-roots=' 'redis-key-prefix=' 'redis-timeout=' 'redis-collapse=' 'bypass=' 'lifetime=' 'default-lifetime=' 'stale-while-revalidate=' 'stale-if-error=' 'ignore-query=' 'key-fields=' 'tags=' 'allow=' 'deny=' 'cors-origins=' 'cors-methods=' 'cors-request-fields=' 'cors-response-fields=' 'cors-credentials=' 'cors-max-age=' 'password-file=' 'realm=' 'redirect=' 'redirect-status=' 'answer-text=' 'answer-status=' 'answer-type=' 'replace-path=' 'request-remove=' 'request-set=+' 'request-add=+' 'response-remove=' 'response-set=+' 'response-add=+' 'security-fields=' 'early-hints=' 'error-page=' 'upstream-version=' 'connect-timeout=' 'response-timeout=' 'upstream-idle-timeout=' 'upstream-connections=' 'retries=' 'trust-roots=' 'upstream-tls-certificates=' 'upstream-tls-key=' 'forward-host=' 'tell-of-client=' 'pass-underscores=' 'websockets=' 'health-check-path=' 'health-check-interval=' 'health-check-timeout=' 'health-check-failures=' 'health-check-successes=' 'connections=' 'connections-per-address=' 'streams=' 'target-bytes=' 'header-bytes=' 'header-fields=' 'content-bytes=' 'idle-timeout=' 'head-timeout=' 'body-timeout=' 'write-timeout=' 'websocket-idle-timeout=' 'websocket-timeout=' 'minimum-rate=' 'admin=' 'admin-token-file=' 'admin-host-names=' 'access-log=' 'access-log-format=' 'record-trace=' 'record-trace-sample=' 'record-trace-file-size=' 'record-trace-files=' 'record-trace-groups=' 'shadow=+' 'shadow-sample=' 'trace-collector=' 'trace-sample=' 'trace-service-name=' 'warm-sitemaps=' 'warm-urls=' 'warm-concurrency=' 'warm-rate=' 'warm-fields=+' 'warm-readiness-wait=' 'event-loops=' 'grace-period=' 'log-level=' 'version' 'h/help'
        case 'password'
            __hoard_parse_subcommand 1 'version' 'h/help'
        case 'warm'
            __hoard_parse_subcommand 0 'proxy=' 'sitemap=+' 'urls=+' 'concurrency=' 'rate=' 'H/header=+' 'max-time=' 'json' 'version' 'h/help'
        case 'get'
            __hoard_parse_subcommand -r 1 'directory=' 'o/output=' 'H/header=+' 'max-time=' 'transport=' 'cache-mode=' 'no-follow' 'json' 'explain' 'version' 'h/help'
        case 'view'
            __hoard_parse_subcommand -r 1 'directory=' 'H/header=+' 'max-time=' 'transport=' 'partition=' 'sensitive' 'refresh' 'discriminator=' 'hash-field=' 'strict' 'prefetch' 'json' 'version' 'h/help'
        case 'inspect'
            __hoard_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'ls'
                __hoard_parse_subcommand 0 'directory=' 'key-file=' 'json' 'prefix=' 'contains=' 'tag=' 'type=' 'min-size=' 'max-size=' 'partition=' 'fresh' 'stale' 'expired' 'sort=' 'reverse' 'limit=' 'version' 'h/help'
            case 'show'
                __hoard_parse_subcommand 1 'directory=' 'key-file=' 'json' 'raw' 'version' 'h/help'
            case 'stats'
                __hoard_parse_subcommand 0 'directory=' 'key-file=' 'json' 'version' 'h/help'
            case 'verify'
                __hoard_parse_subcommand 0 'directory=' 'key-file=' 'json' 'repair' 'version' 'h/help'
            case 'rm'
                __hoard_parse_subcommand -r 1 'directory=' 'key-file=' 'json' 'tag=+' 'expired' 'version' 'h/help'
            case 'clear'
                __hoard_parse_subcommand 0 'directory=' 'key-file=' 'json' 'version' 'h/help'
            case 'compact'
                __hoard_parse_subcommand 0 'directory=' 'key-file=' 'json' 'version' 'h/help'
            end
        case 'advise'
            __hoard_parse_subcommand 1 'capacity=' 'format=' 'json' 'version' 'h/help'
        case 'simulate'
            __hoard_parse_subcommand -r 1 'capacity=' 'policy=' 'format=' 'disk=' 'nodes=' 'shared=' 'route=' 'inclusive' 'ignore-query=' 'lifetime=+' 'bypass=+' 'stale-while-revalidate=' 'json' 'plot=' 'report=' 'version' 'h/help'
        case 'trace'
            __hoard_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'generate'
                __hoard_parse_subcommand 1 'capacity=' 'seed=' 'length=' 'version' 'h/help'
            end
        case 'demo'
            __hoard_parse_subcommand 0 'listen=' 'directory=' 'once' 'json' 'version' 'h/help'
        case 'help'
            __hoard_parse_subcommand -r 1 'version'
        end
    end
end

function __hoard_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __hoard_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __hoard_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __hoard_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__hoard_tokens -p)
    if test -z "$(__hoard_tokens -t)"
        set -l index (count (__hoard_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'hoard' -f
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'proxy' -d 'Serve an origin\'s responses from a cache.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'password' -d 'Hash a password for a route of the proxy.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'warm' -d 'Ask a proxy for many URLs, so that it has them before anybody else asks.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'get' -d 'Get URLs through the cache.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'view' -d 'Show server-driven screens.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'inspect' -d 'Look into a cache directory.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'advise' -d 'Say what to change of a cache, from an access log or a running proxy.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'simulate' -d 'Replay access traces on cache policies, and compare hit ratios.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'trace' -d 'Make access traces that are hard for caches.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'demo' -d 'See what a cache does, with a small origin of its own.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" config' -l 'config' -d 'A file of settings in YAML.' -rfa '(set -l exts \'yaml\' \'yml\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" check-config' -l 'check-config' -d 'Say whether the settings make sense, and end.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" print-config' -l 'print-config' -d 'Print all settings as a file that can be read again, and end.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" explain' -l 'explain' -d 'Say which route and which rules a request for a URL would meet, and end.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'origin' -d 'The server that requests go to: an http or https URL, with a path if all requests go below it. Several are one upstream that answers alike. It is for a proxy without “upstreams”.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'trusted-proxies' -d 'Networks, such as 10.0.0.0/8 or ::1, of proxies in front of this one: what they say of clients in Forwarded (RFC 7239), X-Forwarded-For and X-Forwarded-Proto is believed. From others it is dropped. “unix” stands for Unix sockets.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'listen' -d 'Where clients connect. In a file each is a group of options or only its address; on the command line and in the environment only an address.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tls-certificates' -l 'tls-certificates' -d 'A file of certificates in PEM form, the server\'s own first. With it and a key, the listener is encrypted.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tls-key' -l 'tls-key' -d 'A file with the private key in PEM form.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tls-version' -l 'tls-version' -d 'The oldest version of TLS that clients may speak. (default: 1.2)' -rfka '1.2 1.3'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tls-ciphers' -l 'tls-ciphers' -d 'Cipher suites of TLS 1.2, the preferred one first. Empty: all that HTTP/2 allows. Those of TLS 1.3 are always the same.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" client-authorities' -l 'client-authorities' -d 'A file of certificates in PEM form, of authorities: clients prove by a certificate of one of these who they are.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" client-certificates' -l 'client-certificates' -d 'With “client-authorities”: whether clients without a certificate are refused, or only asked for one. (default: require)' -rfka 'require ask'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" http2' -l 'http2' -d 'Whether clients may speak HTTP/2: agreed on by ALPN with encryption, with prior knowledge without. (default: yes)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" proxy-protocol' -l 'proxy-protocol' -d 'Whether each connection begins with a header of the PROXY protocol (version 1 or 2), which tells the client\'s address. Only a load balancer may then reach the listener. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" max-bytes' -l 'max-bytes' -d 'The most bytes kept on disk, such as 512MiB or 10G. 0: nothing is kept on disk, as is so by default with a Redis. (default: 1GiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" max-entries' -l 'max-entries' -d 'The most responses kept on disk. By default only their bytes are limited.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" memory-bytes' -l 'memory-bytes' -d 'The most bytes kept in memory. (default: 64MiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" max-object-bytes' -l 'max-object-bytes' -d 'The longest body that is kept; longer ones are only passed on. By default 512 MiB, or all that disk allows if that is less; with a Redis 64 MiB; without either an eighth of memory.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cdn-targets' -l 'cdn-targets' -d 'The fields with directives for this cache (RFC 9213), the most specific first. Empty for none. (default: CDN-Cache-Control)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" stale-if-unreachable' -l 'stale-if-unreachable' -d 'How long after its time a response may stand in for an origin that cannot be reached, if no directive says anything. 0 for not at all. (default: 1d)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" revalidation-period' -l 'revalidation-period' -d 'How long a stale response that has a validator is kept, to be revalidated rather than fetched again. (default: 7d)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" collapse-timeout' -l 'collapse-timeout' -d 'How long a request waits for the head of the answer to another request like it before it goes to the origin by itself. 0: requests never wait for each other. (default: 5s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" variants' -l 'variants' -d 'The most responses to one URL that differ by request fields (Vary). (default: 64)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" query-bytes' -l 'query-bytes' -d 'The longest content of a QUERY request whose response is kept (RFC 10008). It is read into memory before the cache is asked; a request with more is only passed on. (default: 64KiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" digests' -l 'digests' -d 'What becomes of responses to be kept whose content is not what Content-Digest or Repr-Digest states (RFC 9530): it is not looked at, or they are passed on and not kept, or refused. (default: do-not-store)' -rfka 'ignore do-not-store refuse'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" codings' -l 'codings' -d 'In which codings text and the like is served to clients that accept them, the best first: br, zstd, gzip. What is kept has one form for all clients; the others are made when they are first asked for. Empty: content is served as it came.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" dictionary-bytes' -l 'dictionary-bytes' -d 'With “codings”: the most bytes of responses that are remembered as dictionaries (RFC 9842), so that clients which have an earlier version get what is new (dcz). One has a quarter of it at most. 0: none. (default: 0)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" in-flight-bytes' -l 'in-flight-bytes' -d 'The most bytes of bodies that are being received and wait to be stored; beyond it bodies are only passed on. (default: 32MiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" name' -l 'name' -d 'Names the cache in Cache-Status and Via. (default: hoard)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis' -l 'redis' -d 'A Redis or Valkey through which all proxies that name it share what they store, and what is purged: redis://user@host:6379/0, rediss:// with encryption, redis+cluster://host:6379,host:6379 for a cluster, or unix:///path. Only in the environment may a password be in it. Nothing is kept on disk then. Without it each proxy is on its own.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis-password-file' -l 'redis-password-file' -d 'A file with the password for it. The password itself may be given in the environment as HOARD_PROXY_REDIS_PASSWORD.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis-trust-roots' -l 'redis-trust-roots' -d 'A file of certificates in PEM form that are trusted for it as well as those of the system.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis-key-prefix' -l 'redis-key-prefix' -d 'What the names of all keys there begin with. Proxies share what is stored under the same prefix only. (default: hoard)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis-timeout' -l 'redis-timeout' -d 'How long it may take for a reply. A request that waits so long in vain goes on without it. (default: 500ms)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redis-collapse' -l 'redis-collapse' -d 'Whether only one of the proxies asks the origin for what none of them has. The others wait for it, as requests to one proxy wait for each other (collapse-timeout). (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" bypass' -l 'bypass' -d 'Requests neither get stored responses, nor are theirs stored. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" lifetime' -l 'lifetime' -d 'How long responses are fresh, whatever they say themselves in Cache-Control (even no-store and private) or Expires, as a targeted field would have it (RFC 9213). It is not meant for errors such as 500, nor for responses with Set-Cookie or to requests with Authorization, which speak for themselves.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" default-lifetime' -l 'default-lifetime' -d 'How long responses are fresh that say nothing of it themselves, instead of a heuristic (RFC 9111 §4.2.2).' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" stale-while-revalidate' -l 'stale-while-revalidate' -d 'For how long a stale response is served while it is revalidated in the background, if it does not say itself (RFC 5861 §3).' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" stale-if-error' -l 'stale-if-error' -d 'For how long a stale response stands in for an origin that fails, if it does not say itself (RFC 5861 §4).' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" ignore-query' -l 'ignore-query' -d 'Parameters of the query that do not matter to the cache: names, or beginnings of names with * behind them; * alone for all. The origin gets them.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" key-fields' -l 'key-fields' -d 'Fields of the request that responses depend on although they do not say so in Vary.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tags' -l 'tags' -d 'What responses may be removed by, beyond their own tags.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" allow' -l 'allow' -d 'Networks, such as 10.0.0.0/8, whose clients may ask; others get 403. “unix” stands for Unix sockets. Empty: everybody may.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" deny' -l 'deny' -d 'Networks whose clients may not ask, allowed or not.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-origins' -l 'cors-origins' -d 'Sites whose scripts may ask: https://app.example.com, https://*.example.com for all below it, or * for all. What servers say of that is replaced, and the questions of browsers are answered by the proxy.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-methods' -l 'cors-methods' -d 'Methods that scripts of those sites may use. (default: GET, HEAD, POST, PUT, PATCH, DELETE)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-request-fields' -l 'cors-request-fields' -d 'Fields that scripts of those sites may send; * for those they ask for. (default: *)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-response-fields' -l 'cors-response-fields' -d 'Fields that scripts of those sites may read, beyond the usual ones.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-credentials' -l 'cors-credentials' -d 'Whether scripts of those sites may use the user\'s cookies. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" cors-max-age' -l 'cors-max-age' -d 'How long a browser may rely on what it was told. (default: 10m)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" password-file' -l 'password-file' -d 'A file of names and hashed passwords, as “hoard password” makes them, by which clients prove who they are (RFC 7617). Servers do not get them.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" realm' -l 'realm' -d 'What browsers say the password is for. (default: Restricted)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redirect' -l 'redirect' -d 'Where all requests are sent, such as https://example.com{path}{query}.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" redirect-status' -l 'redirect-status' -d 'The status of a redirect: 301, 302, 303, 307 or 308. (default: 308)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" answer-text' -l 'answer-text' -d 'A text that answers all requests, instead of the servers.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" answer-status' -l 'answer-status' -d 'The status of such an answer. By default 200.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" answer-type' -l 'answer-type' -d 'The media type of such an answer. (default: text/plain; charset=utf-8)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" replace-path' -l 'replace-path' -d 'What servers get in place of “path”, the beginning of the path.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" request-remove' -l 'request-remove' -d 'Fields that are taken out of requests.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'request-set' -d 'Fields that requests get in place of those of their names: “X-Site: {host}”.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'request-add' -d 'Fields that requests get beside those of their names.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" response-remove' -l 'response-remove' -d 'Fields that are taken out of responses.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'response-set' -d 'Fields that responses get in place of those of their names: “X-Cache: {cache}”.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'response-add' -d 'Fields that responses get beside those of their names.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" security-fields' -l 'security-fields' -d 'Whether responses get X-Content-Type-Options, X-Frame-Options, Referrer-Policy and, over TLS, Strict-Transport-Security, where they have none. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" early-hints' -l 'early-hints' -d 'Whether clients of HTTP/2 get the links of a stored response in a 103 (RFC 8297) while the origin is asked whether it still holds. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" error-page' -l 'error-page' -d 'A file with the content of responses that say that no server could be asked. Its name says the type: .html, .json or .txt.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" upstream-version' -l 'upstream-version' -d 'Which version of HTTP is spoken to the servers; automatic takes HTTP/2 where an encrypted server agrees to it. (default: automatic)' -rfka 'http1 http2 automatic'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" connect-timeout' -l 'connect-timeout' -d 'How long making a connection may take. (default: 5s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" response-timeout' -l 'response-timeout' -d 'How long a server may take for the head of its response, from the end of the request. (default: 30s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" upstream-idle-timeout' -l 'upstream-idle-timeout' -d 'How long a server may send nothing in the middle of a response, or take nothing of a request. (default: 30s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" upstream-connections' -l 'upstream-connections' -d 'The most connections to each server. (default: 256)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" retries' -l 'retries' -d 'How often a request is sent again at most, where that is safe. (default: 1)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" trust-roots' -l 'trust-roots' -d 'A file of certificates in PEM form that are trusted as well as those of the system.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" upstream-tls-certificates' -l 'upstream-tls-certificates' -d 'A file of certificates in PEM form, by which the proxy proves to encrypted servers who it is. It needs “tls-key”.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" upstream-tls-key' -l 'upstream-tls-key' -d 'A file with the private key in PEM form.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" forward-host' -l 'forward-host' -d 'Whether servers get the client\'s host name instead of their own. It then is part of the key, so only routes with hosts keep strangers from filling the cache. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" tell-of-client' -l 'tell-of-client' -d 'Whether Forwarded (RFC 7239), X-Forwarded-For, -Proto and -Host tell the servers of the client, and Client-Cert (RFC 9440) of its certificate. (default: yes)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" pass-underscores' -l 'pass-underscores' -d 'Whether servers get fields with underscores in their names, which many read as if they were hyphens. Those like X_Forwarded_For and Content_Length are never passed. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" websockets' -l 'websockets' -d 'Whether clients may open WebSockets to the servers, which must speak HTTP/1.1. Each takes a connection of its own, beyond “connections”. (default: yes)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" health-check-path' -l 'health-check-path' -d 'What is asked for. A response of status 200 to 399 is a sign of health. (default: /)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" health-check-interval' -l 'health-check-interval' -d 'How often. (default: 10s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" health-check-timeout' -l 'health-check-timeout' -d 'How long the response may take. (default: 2s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" health-check-failures' -l 'health-check-failures' -d 'So many failures in a row make a server unhealthy. (default: 3)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" health-check-successes' -l 'health-check-successes' -d 'So many successes in a row make it healthy again. (default: 2)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" connections' -l 'connections' -d 'How many connections are served at once. (default: 10000)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" connections-per-address' -l 'connections-per-address' -d 'How many of them one address may have. By default any number.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" streams' -l 'streams' -d 'How many streams an HTTP/2 connection may have at once. (default: 100)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" target-bytes' -l 'target-bytes' -d 'The longest request target. (default: 16KiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" header-bytes' -l 'header-bytes' -d 'The most bytes in the names and values of a request\'s fields. (default: 64KiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" header-fields' -l 'header-fields' -d 'The most fields in a request. (default: 256)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" content-bytes' -l 'content-bytes' -d 'The longest content of a request; longer ones get 413. no: any length. (default: 1GiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" idle-timeout' -l 'idle-timeout' -d 'How long a connection may be idle between two requests. (default: 1m)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" head-timeout' -l 'head-timeout' -d 'How long the head of a request may take. (default: 30s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" body-timeout' -l 'body-timeout' -d 'How long a client may send nothing of its request\'s content. (default: 1m)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" write-timeout' -l 'write-timeout' -d 'How long a client may take none of its response. (default: 1m)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" websocket-idle-timeout' -l 'websocket-idle-timeout' -d 'How long nothing may pass through a WebSocket, in either direction. (default: 1h)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" websocket-timeout' -l 'websocket-timeout' -d 'How long a WebSocket may be open. By default any time.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" minimum-rate' -l 'minimum-rate' -d 'The fewest bytes per second, on average over half a minute, with which a client may send content or take its response. 0: no limit. (default: 0)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" admin' -l 'admin' -d 'Its own address: host and port, or unix: and a path. It must not be reachable by strangers. Without it there is no admin interface.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" admin-token-file' -l 'admin-token-file' -d 'A file with the token that requests need which change anything. It is made, with a token that nobody can guess, if it does not exist. Without a token there are no such requests. The token itself may be given in the environment as HOARD_PROXY_ADMIN_TOKEN.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" admin-host-names' -l 'admin-host-names' -d 'The names, beside addresses and localhost, by which browsers may ask for the admin interface. Others are refused.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" access-log' -l 'access-log' -d 'A file, which is appended to, and opened anew on SIGHUP; - for standard output. Without it requests are not written down.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" access-log-format' -l 'access-log-format' -d 'The combined format of Apache and nginx, with the cache\'s status and times behind it; or an object of JSON on each line. (default: combined)' -rfka 'combined json'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" record-trace' -l 'record-trace' -d 'A file into which is recorded which responses the cache is asked for, by pseudonyms. One that is there already is kept with the suffix .1. Without it nothing is recorded.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" record-trace-sample' -l 'record-trace-sample' -d 'The share of the URLs that are recorded, more than 0 and up to 1. All requests for a URL are recorded, or none. (default: 1.0)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" record-trace-file-size' -l 'record-trace-file-size' -d 'How large a file may become before another one is begun. (default: 256MiB)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" record-trace-files' -l 'record-trace-files' -d 'How many files are kept; the older ones have the suffixes .1, .2 and so on. (default: 4)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" record-trace-groups' -l 'record-trace-groups' -d 'Whether a miss is recorded with a pseudonym of the first part of its path. (default: no)' -rfka 'yes no'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'shadow' -d 'Memory caches of other policies and sizes, simulated on the requests of clients, so that their hit ratios can be compared with that of the cache. In a file each is a group of options or only its policy; on the command line and in the environment a policy, or a policy, a colon and a size, such as lru:256MiB.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" shadow-sample' -l 'shadow-sample' -d 'The share of the URLs that shadows are simulated on, more than 0 and up to 1. Their sizes are scaled by it. (default: 0.125)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" trace-collector' -l 'trace-collector' -d 'The base URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; /v1/traces is added. Without it requests make no spans, and traceparent is passed on as it came.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" trace-sample' -l 'trace-sample' -d 'The share of requests that make spans, from 0 to 1. A request whose traceparent says whether it is sampled is treated as that says. (default: 0.01)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" trace-service-name' -l 'trace-service-name' -d 'The name of the proxy in spans. By default hoard.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" warm-sitemaps' -l 'warm-sitemaps' -d 'Sitemaps by their URLs, or by their paths if the host does not matter. They are asked for through the proxy, and may name other sitemaps.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" warm-urls' -l 'warm-urls' -d 'A file with a URL, or the path of one, on each line, or a sitemap.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" warm-concurrency' -l 'warm-concurrency' -d 'How many URLs are asked for at a time. (default: 8)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" warm-rate' -l 'warm-rate' -d 'The most URLs per second. By default as fast as answers come.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy"' -l 'warm-fields' -d 'Fields of the requests, such as “Accept-Encoding: gzip, br”: responses that differ by request fields (Vary) are stored for these.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" warm-readiness-wait' -l 'warm-readiness-wait' -d 'How long /readyz waits for the end of the warm-up at most. Until then, what no server could answer is asked for again. 0: neither. (default: 1m)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" event-loops' -l 'event-loops' -d 'How many threads serve connections. By default one for each core.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" grace-period' -l 'grace-period' -d 'How long requests may take to end at shutdown. (default: 10s)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" log-level' -l 'log-level' -d 'What to log. (default: notice)' -rfka 'trace debug info notice warning error critical'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard proxy" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard password" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard password" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" proxy' -l 'proxy' -d 'The proxy: an http or https URL without a path.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm"' -l 'sitemap' -d 'A sitemap, XML or text. Can be repeated.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm"' -l 'urls' -d 'A file with a URL on each line; - is standard input. Can be repeated.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" concurrency' -l 'concurrency' -d 'How many URLs are asked for at a time, 1 to 1000.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" rate' -l 'rate' -d 'The most URLs per second. Without it as fast as answers come.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm"' -s 'H' -l 'header' -d 'A request field to send, such as \'Accept-Language: pt\'. Can be repeated.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" max-time' -l 'max-time' -d 'The most seconds an answer may take.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" json' -l 'json' -d 'Print the summary as an object of JSON.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard warm" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" o output' -s 'o' -l 'output' -d 'Write the body to this file instead, once it is complete.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get"' -s 'H' -l 'header' -d 'A request field to send, such as \'Accept-Language: pt\'. Can be repeated.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" max-time' -l 'max-time' -d 'The most seconds a transfer may take, redirects included.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" transport' -l 'transport' -d 'What sends the requests: Hoard\'s own client on SwiftNIO or, if built in, URLSession or AsyncHTTPClient.' -rfka 'nio urlsession ahc'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" cache-mode' -l 'cache-mode' -d 'How to use the cache, by the names of the Fetch standard.' -rfka 'default no-store reload no-cache force-cache only-if-cached'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" no-follow' -l 'no-follow' -d 'Do not follow redirects.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" json' -l 'json' -d 'Describe each transfer as a line of JSON.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" explain' -l 'explain' -d 'After each transfer, say what the cache has now, why, and what the next request would get.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view"' -s 'H' -l 'header' -d 'A request field to send, such as \'Accept-Language: pt\'. Can be repeated.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" max-time' -l 'max-time' -d 'The most seconds a transfer may take, redirects included.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" transport' -l 'transport' -d 'What sends the requests: Hoard\'s own client on SwiftNIO or, if built in, URLSession or AsyncHTTPClient.' -rfka 'nio urlsession ahc'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" partition' -l 'partition' -d 'Whose screens they are. Those of others are never shown.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" sensitive' -l 'sensitive' -d 'Keep nothing of the screens on the disk.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" refresh' -l 'refresh' -d 'Ask the server even for screens that are still valid.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" discriminator' -l 'discriminator' -d 'The member that names the type of a component.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" hash-field' -l 'hash-field' -d 'The request and response field that names the state of a screen.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" strict' -l 'strict' -d 'Fail for components of types that Hoard does not have.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" prefetch' -l 'prefetch' -d 'Also get the screens that a screen asks to prefetch, so that they can be shown without a network.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" json' -l 'json' -d 'Print screens as JSON, and describe each as a line of JSON.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard view" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'ls' -d 'List the records, most recently used first.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'show' -d 'Show what is known of a record: its dates, its size, and the stored response\'s status and fields.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'stats' -d 'Say how much the cache holds, and what it takes of the disk.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'verify' -d 'Read everything and look for damage.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'rm' -d 'Remove records.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'clear' -d 'Remove all records.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard inspect" -eq 1' -fa 'compact' -d 'Give back to the file system what the cache does not need.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" prefix' -l 'prefix' -d 'The key, as --json prints it, begins with this.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" contains' -l 'contains' -d 'The key has this somewhere: a part of a URL, for example.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" tag' -l 'tag' -d 'The record has this tag.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" type' -l 'type' -d 'The content type of the record begins with this.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" min-size' -l 'min-size' -d 'The payload is no smaller.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" max-size' -l 'max-size' -d 'The payload is no larger.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" partition' -l 'partition' -d 'The record is in this partition.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" fresh' -l 'fresh' -d 'Only records that are fresh.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" stale' -l 'stale' -d 'Only records that are no longer fresh, and are still kept.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" expired' -l 'expired' -d 'Only records whose time is up, and which are not yet removed.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" sort' -l 'sort' -d 'Sort by size (largest first), age (newest first), use (last used first), expiry (soonest first) or key.' -rfka 'size age use expiry key'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" reverse' -l 'reverse' -d 'Turn the order around.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" limit' -l 'limit' -d 'List no more than this many.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect ls" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" raw' -l 'raw' -d 'Print the stored body, or the payload of a record that is not a response, to standard output.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect stats" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect stats" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect stats" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect stats" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" repair' -l 'repair' -d 'Mend what is found.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm"' -l 'tag' -d 'Remove every record that has this tag. May be given several times.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" expired' -l 'expired' -d 'Remove the records whose time is up.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect rm" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect clear" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect clear" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect clear" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect clear" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect clear" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect compact" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect compact" key-file' -l 'key-file' -d 'The file with the key of an encrypted cache.' -rF
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect compact" json' -l 'json' -d 'Print JSON instead of text.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect compact" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard inspect compact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard advise" capacity' -l 'capacity' -d 'How much the cache may hold now: a number of keys, or bytes such as 64MiB.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard advise" format' -l 'format' -d 'The format of the access trace, if it shall not be found out.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard advise" json' -l 'json' -d 'Print the advice as an object of JSON.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard advise" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard advise" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" capacity' -l 'capacity' -d 'How much the cache may hold, separated by commas: numbers of keys, or shares of the different keys such as 10%; bytes such as 64MiB, or shares of the bytes of all different keys such as 10%B. (default: 0.1, 1, 5, 10, 20 and 50%, at least 10 keys)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" policy' -l 'policy' -d 'Policies, separated by commas, of hoard, hoard-bytes, lru, fifo, clock, sieve, s3fifo, merlin, arc, lirs, tinylfu, gdsf, lhd, adaptsize, opt, pfoo-l.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" format' -l 'format' -d 'The format of the access traces, if it shall not be found out. Numbers are text, unless a file is named .arc, .lis, .lirs or .trc.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" disk' -l 'disk' -d 'Put an LRU disk level of this capacity below each cache, a number or share of keys or bytes as above. A miss in memory looks there; a hit there is brought into memory, and a load is written to both. Only for hoard, hoard-bytes and lru.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" nodes' -l 'nodes' -d 'Spread the requests over so many nodes, each with a cache of the capacity. Only for hoard, hoard-bytes and lru.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" shared' -l 'shared' -d 'Put an LRU tier of this capacity, a number or share of keys or bytes as above, below all nodes. It is used as --disk is.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" route' -l 'route' -d 'The node that gets a request: the one for its key (hash), or any (random, the same in every run). (default: hash)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" inclusive' -l 'inclusive' -d 'Have the nodes drop what the shared tier evicts, as they do with a Redis, which tells them of it.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" ignore-query' -l 'ignore-query' -d 'As if these parameters of queries were ignored: names, or beginnings of names with * behind them. Only for access logs.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate"' -l 'lifetime' -d 'As if objects could be used for so long, or those below a path (/api/=10s). May be given several times. Paths are for access logs only.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate"' -l 'bypass' -d 'As if what is below a path were not kept. May be given several times. Only for access logs.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" stale-while-revalidate' -l 'stale-while-revalidate' -d 'As if an object answered for so long after its lifetime, while it is loaded anew. Not with --disk or --nodes.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" json' -l 'json' -d 'Print each result as a line of JSON.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" plot' -l 'plot' -d 'Draw the miss-ratio curves into this SVG file.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" report' -l 'report' -d 'Write a page about the access traces, with figures, into this HTML file.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard simulate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_positional "hoard trace" -eq 1' -fa 'generate' -d 'Write an access trace that is made to fool policies which adapt.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace generate" capacity' -l 'capacity' -d 'The number of keys of the cache that the trace is made for, from 16 to 16777216.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace generate" seed' -l 'seed' -d 'Decides about the trace\'s shape and its keys.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace generate" length' -l 'length' -d 'The number of accesses. (default: 60 for each key of the capacity, between 200000 and 2000000)' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace generate" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard trace generate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" listen' -l 'listen' -d 'Where the proxy listens. By default 127.0.0.1:8080, or any free port if that is taken.' -rfka ''
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" directory' -l 'directory' -d 'The directory of the cache.' -rfa '(__hoard_complete_directories)'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" once' -l 'once' -d 'End after the requests.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" json' -l 'json' -d 'Print the table as JSON, a line for each request.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" version' -l 'version' -d 'Show the version.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard demo" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'hoard' -n '__hoard_should_offer_completions_for_flags_or_options "hoard help" version' -l 'version' -d 'Show the version.'
