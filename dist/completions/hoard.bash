#!/bin/bash

__hoard_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__hoard_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__hoard_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__hoard_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_hoard() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __hoard_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    proxy|password|warm|get|view|inspect|advise|simulate|trace|demo|help)
        # Offer subcommand argument completions
        "_hoard_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'proxy password warm get view inspect advise simulate trace demo help' -- "${cur}"))
        ;;
    esac
}

_hoard_proxy() {
    repeating_flags=()
    non_repeating_flags=(--check-config --print-config --version -h --help)
    repeating_options=(--origin --trusted-proxies --listen --request-set --request-add --response-set --response-add --shadow --warm-fields)
    non_repeating_options=(--config --explain --tls-certificates --tls-key --tls-version --tls-ciphers --client-authorities --client-certificates --http2 --proxy-protocol --directory --max-bytes --max-entries --memory-bytes --max-object-bytes --cdn-targets --stale-if-unreachable --revalidation-period --collapse-timeout --variants --query-bytes --digests --codings --dictionary-bytes --in-flight-bytes --name --redis --redis-password-file --redis-trust-roots --redis-key-prefix --redis-timeout --redis-collapse --bypass --lifetime --default-lifetime --stale-while-revalidate --stale-if-error --ignore-query --key-fields --tags --allow --deny --cors-origins --cors-methods --cors-request-fields --cors-response-fields --cors-credentials --cors-max-age --password-file --realm --redirect --redirect-status --answer-text --answer-status --answer-type --replace-path --request-remove --response-remove --security-fields --early-hints --error-page --upstream-version --connect-timeout --response-timeout --upstream-idle-timeout --upstream-connections --retries --trust-roots --upstream-tls-certificates --upstream-tls-key --forward-host --tell-of-client --pass-underscores --websockets --health-check-path --health-check-interval --health-check-timeout --health-check-failures --health-check-successes --connections --connections-per-address --streams --target-bytes --header-bytes --header-fields --content-bytes --idle-timeout --head-timeout --body-timeout --write-timeout --websocket-idle-timeout --websocket-timeout --minimum-rate --admin --admin-token-file --admin-host-names --access-log --access-log-format --record-trace --record-trace-sample --record-trace-file-size --record-trace-files --record-trace-groups --shadow-sample --trace-collector --trace-sample --trace-service-name --warm-sitemaps --warm-urls --warm-concurrency --warm-rate --warm-readiness-wait --event-loops --grace-period --log-level)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __hoard_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    '--explain')
        return
        ;;
    '--origin')
        return
        ;;
    '--trusted-proxies')
        return
        ;;
    '--listen')
        return
        ;;
    '--tls-certificates')
        __hoard_add_completions -f
        return
        ;;
    '--tls-key')
        __hoard_add_completions -f
        return
        ;;
    '--tls-version')
        __hoard_add_completions -W '1.2'$'\n''1.3'
        return
        ;;
    '--tls-ciphers')
        return
        ;;
    '--client-authorities')
        __hoard_add_completions -f
        return
        ;;
    '--client-certificates')
        __hoard_add_completions -W 'require'$'\n''ask'
        return
        ;;
    '--http2')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--proxy-protocol')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--max-bytes')
        return
        ;;
    '--max-entries')
        return
        ;;
    '--memory-bytes')
        return
        ;;
    '--max-object-bytes')
        return
        ;;
    '--cdn-targets')
        return
        ;;
    '--stale-if-unreachable')
        return
        ;;
    '--revalidation-period')
        return
        ;;
    '--collapse-timeout')
        return
        ;;
    '--variants')
        return
        ;;
    '--query-bytes')
        return
        ;;
    '--digests')
        __hoard_add_completions -W 'ignore'$'\n''do-not-store'$'\n''refuse'
        return
        ;;
    '--codings')
        return
        ;;
    '--dictionary-bytes')
        return
        ;;
    '--in-flight-bytes')
        return
        ;;
    '--name')
        return
        ;;
    '--redis')
        return
        ;;
    '--redis-password-file')
        __hoard_add_completions -f
        return
        ;;
    '--redis-trust-roots')
        __hoard_add_completions -f
        return
        ;;
    '--redis-key-prefix')
        return
        ;;
    '--redis-timeout')
        return
        ;;
    '--redis-collapse')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--bypass')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--lifetime')
        return
        ;;
    '--default-lifetime')
        return
        ;;
    '--stale-while-revalidate')
        return
        ;;
    '--stale-if-error')
        return
        ;;
    '--ignore-query')
        return
        ;;
    '--key-fields')
        return
        ;;
    '--tags')
        return
        ;;
    '--allow')
        return
        ;;
    '--deny')
        return
        ;;
    '--cors-origins')
        return
        ;;
    '--cors-methods')
        return
        ;;
    '--cors-request-fields')
        return
        ;;
    '--cors-response-fields')
        return
        ;;
    '--cors-credentials')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--cors-max-age')
        return
        ;;
    '--password-file')
        __hoard_add_completions -f
        return
        ;;
    '--realm')
        return
        ;;
    '--redirect')
        return
        ;;
    '--redirect-status')
        return
        ;;
    '--answer-text')
        return
        ;;
    '--answer-status')
        return
        ;;
    '--answer-type')
        return
        ;;
    '--replace-path')
        return
        ;;
    '--request-remove')
        return
        ;;
    '--request-set')
        return
        ;;
    '--request-add')
        return
        ;;
    '--response-remove')
        return
        ;;
    '--response-set')
        return
        ;;
    '--response-add')
        return
        ;;
    '--security-fields')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--early-hints')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--error-page')
        __hoard_add_completions -f
        return
        ;;
    '--upstream-version')
        __hoard_add_completions -W 'http1'$'\n''http2'$'\n''automatic'
        return
        ;;
    '--connect-timeout')
        return
        ;;
    '--response-timeout')
        return
        ;;
    '--upstream-idle-timeout')
        return
        ;;
    '--upstream-connections')
        return
        ;;
    '--retries')
        return
        ;;
    '--trust-roots')
        __hoard_add_completions -f
        return
        ;;
    '--upstream-tls-certificates')
        __hoard_add_completions -f
        return
        ;;
    '--upstream-tls-key')
        __hoard_add_completions -f
        return
        ;;
    '--forward-host')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--tell-of-client')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--pass-underscores')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--websockets')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--health-check-path')
        return
        ;;
    '--health-check-interval')
        return
        ;;
    '--health-check-timeout')
        return
        ;;
    '--health-check-failures')
        return
        ;;
    '--health-check-successes')
        return
        ;;
    '--connections')
        return
        ;;
    '--connections-per-address')
        return
        ;;
    '--streams')
        return
        ;;
    '--target-bytes')
        return
        ;;
    '--header-bytes')
        return
        ;;
    '--header-fields')
        return
        ;;
    '--content-bytes')
        return
        ;;
    '--idle-timeout')
        return
        ;;
    '--head-timeout')
        return
        ;;
    '--body-timeout')
        return
        ;;
    '--write-timeout')
        return
        ;;
    '--websocket-idle-timeout')
        return
        ;;
    '--websocket-timeout')
        return
        ;;
    '--minimum-rate')
        return
        ;;
    '--admin')
        return
        ;;
    '--admin-token-file')
        __hoard_add_completions -f
        return
        ;;
    '--admin-host-names')
        return
        ;;
    '--access-log')
        __hoard_add_completions -f
        return
        ;;
    '--access-log-format')
        __hoard_add_completions -W 'combined'$'\n''json'
        return
        ;;
    '--record-trace')
        __hoard_add_completions -f
        return
        ;;
    '--record-trace-sample')
        return
        ;;
    '--record-trace-file-size')
        return
        ;;
    '--record-trace-files')
        return
        ;;
    '--record-trace-groups')
        __hoard_add_completions -W 'yes'$'\n''no'
        return
        ;;
    '--shadow')
        return
        ;;
    '--shadow-sample')
        return
        ;;
    '--trace-collector')
        return
        ;;
    '--trace-sample')
        return
        ;;
    '--trace-service-name')
        return
        ;;
    '--warm-sitemaps')
        return
        ;;
    '--warm-urls')
        __hoard_add_completions -f
        return
        ;;
    '--warm-concurrency')
        return
        ;;
    '--warm-rate')
        return
        ;;
    '--warm-fields')
        return
        ;;
    '--warm-readiness-wait')
        return
        ;;
    '--event-loops')
        return
        ;;
    '--grace-period')
        return
        ;;
    '--log-level')
        __hoard_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    esac
}

_hoard_password() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __hoard_offer_flags_options 1
}

_hoard_warm() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--sitemap --urls -H --header)
    non_repeating_options=(--proxy --concurrency --rate --max-time)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--proxy')
        return
        ;;
    '--sitemap')
        return
        ;;
    '--urls')
        return
        ;;
    '--concurrency')
        return
        ;;
    '--rate')
        return
        ;;
    '-H'|'--header')
        return
        ;;
    '--max-time')
        return
        ;;
    esac
}

_hoard_get() {
    repeating_flags=()
    non_repeating_flags=(--no-follow --json --explain --version -h --help)
    repeating_options=(-H --header)
    non_repeating_options=(--directory -o --output --max-time --transport --cache-mode)
    __hoard_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '-o'|'--output')
        return
        ;;
    '-H'|'--header')
        return
        ;;
    '--max-time')
        return
        ;;
    '--transport')
        __hoard_add_completions -W 'nio'$'\n''urlsession'$'\n''ahc'
        return
        ;;
    '--cache-mode')
        __hoard_add_completions -W 'default'$'\n''no-store'$'\n''reload'$'\n''no-cache'$'\n''force-cache'$'\n''only-if-cached'
        return
        ;;
    esac
}

_hoard_view() {
    repeating_flags=()
    non_repeating_flags=(--sensitive --refresh --strict --prefetch --json --version -h --help)
    repeating_options=(-H --header)
    non_repeating_options=(--directory --max-time --transport --partition --discriminator --hash-field)
    __hoard_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '-H'|'--header')
        return
        ;;
    '--max-time')
        return
        ;;
    '--transport')
        __hoard_add_completions -W 'nio'$'\n''urlsession'$'\n''ahc'
        return
        ;;
    '--partition')
        return
        ;;
    '--discriminator')
        return
        ;;
    '--hash-field')
        return
        ;;
    esac
}

_hoard_inspect() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __hoard_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    ls|show|stats|verify|rm|clear|compact)
        # Offer subcommand argument completions
        "_hoard_inspect_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'ls show stats verify rm clear compact' -- "${cur}"))
        ;;
    esac
}

_hoard_inspect_ls() {
    repeating_flags=()
    non_repeating_flags=(--json --fresh --stale --expired --reverse --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file --prefix --contains --tag --type --min-size --max-size --partition --sort --limit)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    '--prefix')
        return
        ;;
    '--contains')
        return
        ;;
    '--tag')
        return
        ;;
    '--type')
        return
        ;;
    '--min-size')
        return
        ;;
    '--max-size')
        return
        ;;
    '--partition')
        return
        ;;
    '--sort')
        __hoard_add_completions -W 'size'$'\n''age'$'\n''use'$'\n''expiry'$'\n''key'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_hoard_inspect_show() {
    repeating_flags=()
    non_repeating_flags=(--json --raw --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    esac
}

_hoard_inspect_stats() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    esac
}

_hoard_inspect_verify() {
    repeating_flags=()
    non_repeating_flags=(--json --repair --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    esac
}

_hoard_inspect_rm() {
    repeating_flags=()
    non_repeating_flags=(--json --expired --version -h --help)
    repeating_options=(--tag)
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    '--tag')
        return
        ;;
    esac
}

_hoard_inspect_clear() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    esac
}

_hoard_inspect_compact() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--directory --key-file)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    '--key-file')
        __hoard_add_completions -f
        return
        ;;
    esac
}

_hoard_advise() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--capacity --format)
    __hoard_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--capacity')
        return
        ;;
    '--format')
        return
        ;;
    esac
}

_hoard_simulate() {
    repeating_flags=()
    non_repeating_flags=(--inclusive --json --version -h --help)
    repeating_options=(--lifetime --bypass)
    non_repeating_options=(--capacity --policy --format --disk --nodes --shared --route --ignore-query --stale-while-revalidate --plot --report)
    __hoard_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--capacity')
        return
        ;;
    '--policy')
        return
        ;;
    '--format')
        return
        ;;
    '--disk')
        return
        ;;
    '--nodes')
        return
        ;;
    '--shared')
        return
        ;;
    '--route')
        return
        ;;
    '--ignore-query')
        return
        ;;
    '--lifetime')
        return
        ;;
    '--bypass')
        return
        ;;
    '--stale-while-revalidate')
        return
        ;;
    '--plot')
        return
        ;;
    '--report')
        return
        ;;
    esac
}

_hoard_trace() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __hoard_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    generate)
        # Offer subcommand argument completions
        "_hoard_trace_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'generate' -- "${cur}"))
        ;;
    esac
}

_hoard_trace_generate() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(--capacity --seed --length)
    __hoard_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--capacity')
        return
        ;;
    '--seed')
        return
        ;;
    '--length')
        return
        ;;
    esac
}

_hoard_demo() {
    repeating_flags=()
    non_repeating_flags=(--once --json --version -h --help)
    repeating_options=()
    non_repeating_options=(--listen --directory)
    __hoard_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--listen')
        return
        ;;
    '--directory')
        __hoard_add_completions -d
        return
        ;;
    esac
}

_hoard_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __hoard_offer_flags_options -1
}

complete -o filenames -F _hoard hoard
