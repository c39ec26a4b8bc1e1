# SPDX-License-Identifier: Apache-2.0
# A session in bash, with bash alone: cells come as frames on descriptor 3, and their results go out on 4
# (src/backends/backends/cell_wire.h).
#
# A cell is sourced from a file with the name "cell 3", so messages and functions show where they are from; and at the
# top level, so all its effects last. A command that would end the shell ends the cell: `exit` is a function, and an
# ERR trap sees a failing command under `set -e`, and takes the option off before bash acts on it. Both then leave
# functions and loops by a DEBUG trap whose status 2 means "return" (extdebug). All other ways (`set -u`, ${x:?},
# `builtin exit`) really end the shell, and its EXIT trap continues in a fork. The started process is the keeper. It
# holds the parts together, passes interrupts on to the commands of the cell, and other signals to the shell, whose
# pid, $$, is the keeper's.
#
# The frames' descriptors are 198 and 199, 192 leads to the keeper, and the loop reads 196. They are closed while
# a cell runs; bash keeps close-on-exec copies, those of the frames in __cells_r and __cells_w.
#
# A cell may make any name `readonly`, after which bash makes no local of it: so names here begin with __cells_, those
# of locals with __cells__, and nothing depends on IFS.

# ---- frames ----

# Runs a function of ours in which characters are bytes. If a cell has made LC_ALL readonly, they stay characters
# there: of up to __cells_width bytes, and UTF-8 is valid if the locale accepts it.
__cells_bytewise() {
    local LC_ALL=C 2> /dev/null
    local __cells__two=$'\xc3\xa9' __cells_width=1
    ((${#__cells__two} == 2)) || local __cells_width=6 __cells_utf8=$'^(.|\n)*'
    "$@"
}

# __cells_size: how many bytes $1 has.
__cells_measure() {
    __cells_size=${#1}
    ((__cells_width == 1)) || builtin printf -v __cells__two '%s%n' "$1" __cells_size
}

# The next frame's kind, number and length, into the caller's locals. False at the end of the frames.
__cells_head() {
    local -a __cells__line=()
    builtin mapfile -t -n 1 -u "$__cells_r" __cells__line
    ((${#__cells__line[@]} > 0)) || return 1
    __cells__kind=${__cells__line[0]%% *} __cells__length=${__cells__line[0]##* }
    __cells__id=${__cells__line[0]#* }
    __cells__id=${__cells__id%% *}
}

# __cells__most: the number of characters that can be read if $1 bytes are left.
__cells_fit() {
    __cells__most=$(($1 / __cells_width))
    __cells__most=$((__cells__most > 65536 ? 65536 : __cells__most < 1 ? 1 : __cells__most))
}

# __cells_bytes: $1 bytes from the frames. False at their end. `read` drops NUL bytes and waits for others instead: the
# host sends a frame at once, so bytes that do not come within two seconds were NUL.
__cells_read() {
    local __cells__part __cells__left=$1 __cells__most
    __cells_bytes='' __cells_nul=''
    while ((__cells__left > 0)); do
        __cells_fit "$__cells__left"
        builtin read -r -t 2 -N "$__cells__most" -u "$__cells_r" __cells__part || {
            (($? > 128)) || return 1
            __cells_nul=1
        }
        __cells_bytes+=$__cells__part
        __cells_measure "$__cells__part"
        [[ -z $__cells_nul ]] || __cells_size=$((__cells_width == 1 ? __cells__most : __cells__left))
        ((__cells__left -= __cells_size))
    done
    return 0
}

__cells_send() {
    __cells_measure "$3"
    builtin printf '%s %d %d\n%s' "$1" "$2" "$__cells_size" "$3" >&"$__cells_w"
}

# ---- JSON ----

# __cells_json: $1 as a JSON string. Invalid UTF-8 becomes U+FFFD.
__cells_quote() {
    local __cells__s=$1 __cells__i __cells__c __cells__code
    if [[ $__cells__s == *[![:print:]]* || $__cells__s == *[\"\\]* ]]; then
        __cells__s=${__cells__s//\\/\\\\} __cells__s=${__cells__s//\"/\\\"}
        __cells__s=${__cells__s//$'\n'/\\n} __cells__s=${__cells__s//$'\t'/\\t} __cells__s=${__cells__s//$'\r'/\\r}
        if [[ $__cells__s == *[[:cntrl:]]* ]]; then
            for ((__cells__i = 1; __cells__i < 32; __cells__i++)); do
                builtin printf -v __cells__code '\\x%02x' "$__cells__i"
                builtin printf -v __cells__c '%b' "$__cells__code"
                builtin printf -v __cells__code '\\u%04x' "$__cells__i"
                __cells__s=${__cells__s//"$__cells__c"/"$__cells__code"}
            done
        fi
        [[ $__cells__s =~ $__cells_utf8 && ${#BASH_REMATCH[0]} -eq ${#__cells__s} ]] || __cells_repair
    fi
    __cells_json="\"$__cells__s\""
}

__cells_repair() {
    local __cells__out=''
    while [[ -n $__cells__s ]]; do
        [[ $__cells__s =~ $__cells_utf8 ]]
        __cells__out+=${BASH_REMATCH[0]}
        __cells__s=${__cells__s:${#BASH_REMATCH[0]}}
        if [[ -n $__cells__s ]]; then
            __cells__out+=$'\xef\xbf\xbd'
            __cells__s=${__cells__s:1}
        fi
    done
    __cells__s=$__cells__out
}

# These functions read the next value from __cells_s, and remove it there.
__cells_skip() { __cells_s=${__cells_s#"${__cells_s%%[![:space:]]*}"}; }

# __cells_raw: the next value's text.
__cells_take() {
    local __cells__depth=0 __cells__head
    __cells_raw=''
    __cells_skip
    if [[ ${__cells_s:0:1} != [\"\[\{] ]]; then
        __cells_raw=${__cells_s%%[],\}[:space:]]*}
        __cells_s=${__cells_s:${#__cells_raw}}
        return
    fi
    while :; do
        case ${__cells_s:0:1} in
        '"') __cells_take_string ;;
        '[' | '{') ((__cells__depth += 1)) && __cells_raw+=${__cells_s:0:1} __cells_s=${__cells_s:1} ;;
        ']' | '}')
            ((__cells__depth -= 1, 1))
            __cells_raw+=${__cells_s:0:1} __cells_s=${__cells_s:1}
            ;;
        '') return ;;
        esac
        ((__cells__depth > 0)) || return 0
        __cells__head=${__cells_s%%[][\{\}\"]*}
        __cells_raw+=$__cells__head __cells_s=${__cells_s:${#__cells__head}}
    done
}

# A string with its quotes; it ends at the first quote that is not after a backslash.
__cells_take_string() {
    local __cells__text=${__cells_s:1} __cells__end
    __cells__end=${__cells__text%%\"*}
    if [[ $__cells__end == *\\ ]]; then
        __cells__text=${__cells__text//'\\'/__}
        __cells__text=${__cells__text//'\"'/__}
        __cells__end=${__cells__text%%\"*}
    fi
    __cells_raw+=${__cells_s:0:${#__cells__end}+2} __cells_s=${__cells_s:${#__cells__end}+2}
}

# __cells_text: the content of the string $1, which has its quotes. A character that does not occur in it replaces
# backslashes meanwhile.
__cells_unquote() {
    local __cells__i __cells__place __cells__rest
    __cells_text=${1:1:-1}
    [[ $__cells_text == *\\* ]] || return 0
    for ((__cells__i = 1; __cells__i < 32; __cells__i++)); do
        builtin printf -v __cells__place 'u%04x' "$__cells__i"
        [[ ${__cells_text,,} == *"$__cells__place"* ]] || break
    done
    builtin printf -v __cells__place '\\x%02x' "$__cells__i"
    builtin printf -v __cells__place '%b' "$__cells__place"
    __cells_text=${__cells_text//'\\'/"$__cells__place"}
    __cells_text=${__cells_text//'\"'/'"'} __cells_text=${__cells_text//'\/'//}
    __cells_text=${__cells_text//'\n'/$'\n'} __cells_text=${__cells_text//'\t'/$'\t'}
    __cells_text=${__cells_text//'\r'/$'\r'} __cells_text=${__cells_text//'\b'/$'\b'}
    __cells_text=${__cells_text//'\f'/$'\f'}
    while [[ $__cells_text == *'\u'* ]]; do
        __cells__rest=${__cells_text#*'\u'}
        __cells_code
    done
    __cells_text=${__cells_text//"$__cells__place"/'\'}
}

# Replaces all occurrences of the first \u in `rest`, with the second half of a surrogate pair.
__cells_code() {
    local __cells__text="\\u${__cells__rest:0:4}" __cells__code=$((16#${__cells__rest:0:4})) __cells__bytes
    if ((__cells__code >= 0xd800 && __cells__code < 0xdc00)) && [[ ${__cells__rest:4:2} == '\u' ]]; then
        __cells__text+=${__cells__rest:4:6}
        __cells__code=$((0x10000 + (__cells__code - 0xd800) * 0x400 + 16#${__cells__rest:6:4} - 0xdc00))
    fi
    if ((__cells__code == 0)); then
        __cells__bytes=''
    elif ((__cells__code < 0x80)); then
        builtin printf -v __cells__bytes '\\x%02x' "$__cells__code"
    elif ((__cells__code < 0x800)); then
        builtin printf -v __cells__bytes '\\x%02x' "$((0xc0 | __cells__code >> 6))" "$((0x80 | __cells__code & 63))"
    elif ((__cells__code < 0x10000)); then
        builtin printf -v __cells__bytes '\\x%02x' "$((0xe0 | __cells__code >> 12))" \
            "$((0x80 | __cells__code >> 6 & 63))" "$((0x80 | __cells__code & 63))"
    else
        builtin printf -v __cells__bytes '\\x%02x' "$((0xf0 | __cells__code >> 18))" \
            "$((0x80 | __cells__code >> 12 & 63))" "$((0x80 | __cells__code >> 6 & 63))" \
            "$((0x80 | __cells__code & 63))"
    fi
    builtin printf -v __cells__bytes '%b' "$__cells__bytes"
    __cells_text=${__cells_text//"$__cells__text"/"$__cells__bytes"}
}

# __cells_list: the texts of the members of the array or object $1; for an object, names and values in turn.
__cells_members() {
    local __cells_s=${1:1}
    __cells_list=()
    [[ $1 == [\[{]* ]] || return 0
    __cells_skip
    while [[ -n $__cells_s && $__cells_s != [\]\}]* ]]; do
        __cells_take
        __cells_list+=("$__cells_raw")
        __cells_skip
        [[ $__cells_s == [,:]* ]] && __cells_s=${__cells_s:1}
        __cells_skip
    done
}

# __cells_raw: the member of the object $1 with the name $2.
__cells_member() {
    local __cells__i __cells_list
    __cells_members "$1"
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells_list[@]}; __cells__i += 2)); do
        __cells_raw=${__cells_list[__cells__i + 1]}
        [[ ${__cells_list[__cells__i]} == "\"$2\"" ]] && return 0
    done
    __cells_raw=''
    return 1
}

# __cells_text: a value of any type as a shell has it: text. A value that is no scalar stays JSON.
__cells_scalar() {
    __cells_text=$1
    case $1 in
    \"*) __cells_unquote "$1" ;;
    null) __cells_text='' ;;
    \{*)
        if __cells_member "$1" '$type' && { __cells_member "$1" text || __cells_member "$1" hex ||
            __cells_member "$1" value; }; then
            __cells_scalar "$__cells_raw"
        fi
        ;;
    esac
}

# ---- what the host asks for ----

__cells_assign() {
    local __cells__name=$1 __cells__raw=$2 __cells__i
    if [[ ! $__cells__name =~ ^[A-Za-z_][A-Za-z0-9_]*$ || $__cells__name == __cells_* ]]; then
        __cells_why="'$__cells__name' is not a name for a variable"
        return 1
    fi
    unset -v "$__cells__name" 2> /dev/null || { __cells_why="$__cells__name: readonly variable" && return 1; }
    case $__cells__raw in
    \{*) __cells_assign_object ;;
    \[*) __cells_assign_list "$__cells__raw" ;;
    *)
        __cells_scalar "$__cells__raw"
        declare -g "$__cells__name=$__cells_text"
        ;;
    esac
}

__cells_assign_list() {
    local -a __cells__items=()
    __cells_members "$1"
    local -a __cells__raws=("${__cells_list[@]}")
    for ((__cells__i = 0; __cells__i < ${#__cells__raws[@]}; __cells__i++)); do
        __cells_scalar "${__cells__raws[__cells__i]}"
        __cells__items+=("$__cells_text")
    done
    declare -ga "$__cells__name=()"
    local -n __cells_to=$__cells__name
    __cells_to=("${__cells__items[@]}")
}

__cells_assign_object() {
    if __cells_member "$__cells__raw" '$type'; then
        if __cells_member "$__cells__raw" items; then
            __cells_assign_list "$__cells_raw"
        else
            __cells_scalar "$__cells__raw"
            declare -g "$__cells__name=$__cells_text"
        fi
        return
    fi
    __cells_members "$__cells__raw"
    local -a __cells__raws=("${__cells_list[@]}")
    local __cells__key
    declare -gA "$__cells__name=()"
    local -n __cells_to=$__cells__name
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells__raws[@]}; __cells__i += 2)); do
        __cells_unquote "${__cells__raws[__cells__i]}"
        __cells__key=$__cells_text
        __cells_scalar "${__cells__raws[__cells__i + 1]}"
        [[ -n $__cells__key ]] && __cells_to["$__cells__key"]=$__cells_text
    done
}

__cells_set() {
    local __cells__i __cells_why='' __cells__raws
    __cells_members "$__cells_bytes"
    __cells__raws=("${__cells_list[@]}")
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells__raws[@]}; __cells__i += 2)); do
        __cells_unquote "${__cells__raws[__cells__i]}"
        if ! __cells_assign "$__cells_text" "${__cells__raws[__cells__i + 1]}"; then
            __cells_problem ValueError "$__cells_why"
            __cells_send done "$1" "{\"ok\":false,\"exception\":$__cells_exception}"
            return
        fi
    done
    __cells_send done "$1" '{"ok":true,"exception":null}'
}

# __cells_json: a variable's value; false if there is none.
__cells_variable() {
    local -n __cells_of=$1
    local __cells__flags=${__cells_of@a} __cells__out='' __cells__between='' __cells__key
    if [[ $__cells__flags == *[aA]* ]]; then
        for __cells__key in "${!__cells_of[@]}"; do
            if [[ $__cells__flags == *A* ]]; then
                __cells_quote "$__cells__key"
                __cells__between+=$__cells_json:
            fi
            __cells_quote "${__cells_of[$__cells__key]}"
            __cells__out+=$__cells__between$__cells_json __cells__between=,
        done
        [[ $__cells__flags == *A* ]] && __cells_json="{$__cells__out}" || __cells_json="[$__cells__out]"
    else
        [[ -v __cells_of ]] || return 1
        __cells_quote "$__cells_of"
    fi
}

__cells_get() {
    local __cells__i __cells__names __cells__values='' __cells__missing='' __cells__failed='' __cells__bytes=$__cells_bytes
    __cells_member "$__cells_bytes" names
    __cells_members "$__cells_raw"
    __cells__names=("${__cells_list[@]}")
    for ((__cells__i = 0; __cells__i < ${#__cells__names[@]}; __cells__i++)); do
        __cells_unquote "${__cells__names[__cells__i]}"
        if [[ ! $__cells_text =~ ^[A-Za-z_][A-Za-z0-9_]*$ || $__cells_text == __cells_* ]] ||
            ! declare -p "$__cells_text" &> /dev/null || ! __cells_variable "$__cells_text"; then
            __cells__missing+=${__cells__missing:+,}${__cells__names[__cells__i]}
        elif ((${#__cells_json} > __cells_value_max)); then
            __cells__failed+=${__cells__failed:+,}${__cells__names[__cells__i]}
            __cells__failed+=:'"the value is larger than a result may be"'
        else
            __cells__values+=${__cells__values:+,}${__cells__names[__cells__i]}:$__cells_json
        fi
    done
    __cells__names=''
    if __cells_member "$__cells__bytes" prefix; then
        __cells_unquote "$__cells_raw"
        __cells_names_like "$__cells_text"
    fi
    local __cells__rows=''
    ! __cells_member "$__cells__bytes" list || [[ $__cells_raw != true ]] || __cells_list_variables
    __cells_send done "$1" "{\"ok\":true,\"values\":{$__cells__values},\"missing\":[$__cells__missing],\
\"failed\":{$__cells__failed},\"names\":[$__cells__names],\"variables\":[$__cells__rows]}"
}

# The shell's own variables.
__cells_own='^(_.*|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|HOSTNAME|HOSTTYPE|IFS|LC_ALL|LINENO|MACHTYPE|'
__cells_own+='OLDPWD|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PS[0-4]|PWD|RANDOM|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TERM|UID)$'

# __cells_text: the variable $1 in one line, with its first elements; __cells__type. False if it is not set.
__cells_short() {
    local -n __cells_of=$1
    local __cells__flags=${__cells_of@a} __cells__key __cells__n=0
    __cells__type=text __cells_text=''
    [[ $__cells__flags != *i* ]] || __cells__type=integer
    if [[ $__cells__flags == *[aA]* ]]; then
        [[ $__cells__flags == *A* ]] && __cells__type=map || __cells__type=array
        for __cells__key in "${!__cells_of[@]}"; do
            ((__cells__n++ < 10)) || break
            __cells_text+="[${__cells__key:0:80}]=${__cells_of[$__cells__key]:0:80} "
        done
        __cells_text="(${__cells_text% })"
    else
        [[ -v __cells_of ]] || return 1
        __cells_text=${__cells_of:0:160}
    fi
    __cells_text=${__cells_text//[$'\n\r\t']/ }
    ((${#__cells_text} <= 80)) || __cells_text=${__cells_text:0:77}...
}

__cells_list_variables() {
    local __cells__name __cells__type __cells__count=0 __cells__first=()
    # The environment with which the shell was started; a cell has not changed it.
    mapfile -d '' __cells__first < /proc/self/environ
    __cells__first=$'\n'$(printf '%s\n' "${__cells__first[@]}")$'\n'
    while IFS= read -r __cells__name; do
        [[ ! $__cells__name =~ $__cells_own ]] || continue
        [[ $__cells__first != *$'\n'"$__cells__name=${!__cells__name}"$'\n'* ]] || continue
        __cells_short "$__cells__name" || continue
        __cells_quote "$__cells_text"
        __cells__rows+="${__cells__rows:+,}{\"name\":\"$__cells__name\",\"type\":\"$__cells__type\",\"value\":$__cells_json}"
        ((++__cells__count < 1000)) || break
    done < <(compgen -v | LC_ALL=C command sort -u)
}

# For completion: commands, functions and variables (with their $).
__cells_names_like() {
    local __cells__name __cells__kind=-c __cells__sign='' __cells__count=0
    [[ $1 != \$* ]] || __cells__kind=-v __cells__sign=\$
    while IFS= read -r __cells__name; do
        [[ $__cells__name =~ ^[A-Za-z0-9_.+-]+$ && $__cells__name != __cells_* ]] || continue
        __cells__names+=${__cells__names:+,}\"$__cells__sign$__cells__name\"
        ((++__cells__count < 1000)) || break
    done < <(compgen "$__cells__kind" -- "${1#\$}" | LC_ALL=C command sort -u)
}

__cells_hello() {
    local __cells__i __cells__raws __cells__failed=''
    __cells_members "$__cells_bytes"
    __cells__raws=("${__cells_list[@]}")
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells__raws[@]}; __cells__i += 2)); do
        __cells_members "${__cells__raws[__cells__i + 1]}"
        case ${__cells__raws[__cells__i]} in
        '"folder"')
            __cells_unquote "${__cells__raws[__cells__i + 1]}"
            __cells_folder=$__cells_text __cells_goes=1
            if ! __cells_enter; then
                __cells_problem FileNotFoundError "there is no folder '$__cells_folder' in the workspace"
                __cells__failed=",\"exception\":$__cells_exception"
            fi
            __cells_was=''
            ;;
        '"limits"') __cells_limits ;;
        '"env"') __cells_env ;;
        '"tools"') __cells_tools ;;
        '"final_answer"')
            [[ ${__cells__raws[__cells__i + 1]} != true ]] || __cells_keep final_answer '__cells_final "$@"'
            ;;
        esac
    done
    __cells_send ready 0 "{\"language\":\"bash\",\"version\":\"${BASH_VERSION%%(*}\"$__cells__failed}"
}

__cells_limits() {
    local __cells__i
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells_list[@]}; __cells__i += 2)); do
        case ${__cells_list[__cells__i]} in
        '"value"') __cells_value_max=${__cells_list[__cells__i + 1]} ;;
        '"call"') __cells_call_max=${__cells_list[__cells__i + 1]} ;;
        esac
    done
}

__cells_env() {
    local __cells__i __cells__name
    for ((__cells__i = 0; __cells__i + 1 < ${#__cells_list[@]}; __cells__i += 2)); do
        __cells_unquote "${__cells_list[__cells__i]}"
        __cells__name=$__cells_text
        __cells_unquote "${__cells_list[__cells__i + 1]}"
        [[ $__cells__name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] && declare -gx "$__cells__name=$__cells_text"
    done
}

# Defines a function that no cell can replace: $1 with the body $2.
__cells_keep() {
    eval "$1() { $2; }" && readonly -f "$1" && __cells_kept+=" $1 "
}

__cells_tools() {
    local __cells__tool __cells__tools=("${__cells_list[@]}")
    for __cells__tool in "${__cells__tools[@]}"; do
        __cells_member "$__cells__tool" name
        __cells_unquote "$__cells_raw"
        [[ $__cells_text =~ ^[A-Za-z_][A-Za-z0-9_]*$ && ${__cells_kept-} != *" $__cells_text "* ]] || continue
        __cells_keep "$__cells_text" "__cells_untraced __cells_bytewise __cells_call $__cells_text \"\$@\""
    done
}

# Nor can such a function be removed: so the host refuses calls of a removed tool.
__cells_change_tools() {
    if __cells_member "$__cells_bytes" add; then
        __cells_members "$__cells_raw"
        __cells_tools
    fi
    __cells_send done "$1" '{"ok":true,"exception":null}'
}

# Reads the cell's input, with NUL bytes: `read` without a variable name strips nothing.
__cells_input() {
    local REPLY __cells__left=$1 __cells__most
    : >| "$__cells_dir/input"
    while ((__cells__left > 0)); do
        __cells_fit "$__cells__left"
        builtin read -r -d '' -n "$__cells__most" -u "$__cells_r" || return 1
        builtin printf %s "$REPLY" >> "$__cells_dir/input"
        __cells_measure "$REPLY"
        ((__cells__left -= __cells_size))
        ((${#REPLY} < __cells__most)) && builtin printf '\0' >> "$__cells_dir/input" && ((__cells__left -= 1))
    done
    __cells_stdin=$__cells_dir/input
}

# Goes to the folder in which the next cell runs. False if it is not there.
__cells_enter() {
    [[ -n $__cells_goes ]] || return 0
    __cells_goes='' __cells_was=$PWD __cells_was_old=${OLDPWD-}
    builtin cd -- "$__cells_home${__cells_folder:+/$__cells_folder}" 2> /dev/null && return 0
    __cells_was=''
    return 1
}

__cells_leave() {
    [[ -n $__cells_was ]] || return 0
    builtin cd -- "$__cells_was" 2> /dev/null
    OLDPWD=$__cells_was_old __cells_was=''
    [[ -n $__cells_was_old ]] || { unset -v OLDPWD && export OLDPWD; }
}

# Handles frames until one is a cell to run. False at their end.
__cells_next() {
    local __cells__kind='' __cells__id __cells__length
    # Without its keeper, no process would kill this shell.
    while __cells_head && builtin kill -0 "$$" 2> /dev/null; do
        if [[ $__cells__kind == stdin ]]; then
            __cells__kind=''
            __cells_input "$__cells__length" || return 1
            continue
        fi
        [[ $__cells__kind != exec ]] || __cells_due=1
        __cells_read "$__cells__length" || return 1
        case $__cells__kind in
        hello) __cells_hello ;;
        set) __cells_set "$__cells__id" ;;
        tools) __cells_change_tools "$__cells__id" ;;
        get) __cells_get "$__cells__id" ;;
        folder) __cells_folder=$__cells_bytes __cells_goes=1 ;;
        exec)
            __cells_id=$__cells__id
            [[ $__cells_bytes != *$'\r\n'* ]] || __cells_bytes=${__cells_bytes//$'\r\n'/$'\n'}
            if [[ -n $__cells_nul ]]; then
                __cells_problem ValueError 'bash cannot run a text with a NUL byte in it'
            elif __cells_enter; then
                return 0
            else
                __cells_problem FileNotFoundError "there is no folder '$__cells_folder' in the workspace"
                builtin printf 'bash: %s\n' "there is no folder '$__cells_folder' in the workspace" >&2
            fi
            __cells_answer false null "$__cells_exception"
            ;;
        esac
        __cells_due='' __cells_early='' __cells__kind=''
    done
    return 1
}

# ---- a cell ----

# The file's first line begins with this: back to the folder, and the cell's own options on.
__cells_back() {
    if [[ -n $__cells_pwd ]]; then
        builtin cd -- "$__cells_pwd" && OLDPWD=$__cells_old
        [[ -n $__cells_old ]] || { unset -v OLDPWD && export OLDPWD; }
    fi
    __cells_running=1
    [[ -z $__cells_early ]] || __cells_interrupt
    [[ -z $__cells_options ]] || builtin set "-$__cells_options"
    [[ -z $__cells_nocase ]] || builtin shopt -s nocasematch
    __cells_first=$((__cells_status == 0))
    [[ -z $__cells_on_debug ]] || __cells_step
    return "$__cells_status"
}

# True if a cell's first line $1 is probably complete. A wrong answer changes only the text that a message repeats.
__cells_likely() {
    local __cells__l=${1%'() {'} __cells__a __cells__b
    ((${#__cells__l} < 400)) || return 1
    case $__cells__l in
    '' | '#'*) return 0 ;;
    [!][a-zA-Z0-9_./:\"\'\$-]* | *[\\\`]* | *';;'* | *[\<\>\|\;\&]\ [\;\|\&\)]* | *[\<\>\|]) return 1 ;;
    esac
    __cells__a=${__cells__l%%[ \;]*}
    case $__cells__a in
    if | while | until | for) [[ ${__cells__l#"$__cells__a"} == ' '[!\ \;\|\&\)]* ]] || return 1 ;;
    then | elif | else | fi | do | done | case | esac | select | function | time | coproc | in) return 1 ;;
    esac
    case $__cells__l in *[\"\']*)
        __cells__a=${__cells__l//[!\"]} __cells__b=${__cells__l//[!\']}
        ((${#__cells__a} % 2 == 0 && ${#__cells__b} % 2 == 0)) || return 1
        ;;
    esac
    case $__cells__l in *[\(\)]*)
        __cells__a=${__cells__l//[!(]} __cells__b=${__cells__l//[!)]}
        ((${#__cells__a} == ${#__cells__b})) || return 1
        ;;
    esac
    case $__cells__l in *[{}]*)
        __cells__a=${__cells__l//'${'/} __cells__b=${__cells__a//'}'/}
        [[ $__cells__b != *'{'* ]] || return 1
        ((${#__cells__l} - ${#__cells__a} == 2 * (${#__cells__a} - ${#__cells__b}))) || return 1
        ;;
    esac
}

# True if bash can parse the cell's first command. If not, no command of the cell runs, and a message would repeat the
# beginning of its first line. A fork tries a line that looks wrong: some errors change the parser's state. A long
# cell gets none, because patterns are slow.
__cells_reads() {
    ((${#__cells_bytes} < 16384)) || return 0
    __cells_likely "${__cells_bytes%%$'\n'*}" && return 0
    builtin printf '\\builtin return 0;%s\n' "$__cells_bytes" >| "$__cells__file" || return 0
    (builtin source "$__cells__file") || [[ $? != [12] ]]
} 2> /dev/null

# Writes the cell's file, and sets __cells_name to the name by which it is sourced: a name without a path is searched in
# PATH, then here. If the file cannot be written, another one replaces it.
__cells_write() {
    local __cells__file="$__cells_dir/cell $__cells_id"
    __cells_pwd='' __cells_old=${OLDPWD-} __cells_name=$__cells__file
    local __cells__first='__cells_back && :;'
    [[ $__cells_options != *[xv]* ]] || __cells__first='{ __cells_back && :; } 2> /dev/null;'
    __cells_reads || __cells__first='' __cells_unread=1
    if ! builtin printf '%s%s\n' "$__cells__first" "$__cells_bytes" 2> /dev/null >| "$__cells__file"; then
        __cells_name=/dev/fd/197
        exec 197<<< "$__cells__first$__cells_bytes"
    elif [[ $PWD -ef . && ! -o posix && -x $PWD ]] && builtin cd -- "$__cells_dir"; then
        __cells_name="cell $__cells_id" __cells_pwd=$__cells_old_pwd
    fi
}

__cells_prepare() {
    local __cells__n
    __cells_old_pwd=$PWD __cells_depth=${#FUNCNAME[@]}
    __cells_write
    __cells_before=$__cells_status
    unset -v __cells_exit __cells_final_text __cells_cause __cells_place
    __cells_noting='' __cells_stepped=''
    # Where bash will put the frames' descriptors while they are closed: the first free numbers.
    __cells_saved=()
    for ((__cells__n = 10; ${#__cells_saved[@]} < 3; __cells__n++)); do
        [[ -e /proc/self/fd/$__cells__n || -L /proc/self/fd/$__cells__n ]] || __cells_saved+=("$__cells__n")
    done
    __cells_r=${__cells_saved[0]} __cells_w=${__cells_saved[1]}
}

__cells_unwind() {
    __cells_no_errexit
    [[ $- == *T* ]] && __cells_functrace=-T || __cells_functrace=+T
    shopt -q extdebug && __cells_unwinding=-s || __cells_unwinding=-u
    shopt -s extdebug
    builtin trap __cells_out DEBUG
}

__cells_no_errexit() {
    [[ $- != *e* ]] || __cells_errexit=1
    builtin set +e
}

# 2 means "return"; at the loop's own level there is no function to return from.
__cells_out() {
    ((${#FUNCNAME[@]} > __cells_depth)) && [[ -z ${__cells_calling-} && $BASHPID == "$__cells_pid" && -n $__cells_running ]] && return 2
    return 0
}

exit() {
    local __cells__status=$?
    [[ $BASHPID == "$__cells_pid" && -n $__cells_running ]] || builtin exit "${@-$__cells__status}"
    if (($# > 0)) && [[ ! $1 =~ ^-?[0-9]+$ ]]; then
        builtin printf 'exit: %s: numeric argument required\n' "$1" >&2
        __cells_exit=2
    else
        __cells_exit=$((10#0${1-$__cells__status} & 255))
        [[ ${1-} == -* ]] && __cells_exit=$((-10#0${1#-} & 255))
    fi
    __cells_unwind
    return "$__cells_exit"
}

__cells_final() {
    if [[ $BASHPID != "$__cells_pid" || -z $__cells_running ]]; then
        builtin printf 'final_answer cannot be given from a subshell\n' >&2
        return 1
    fi
    builtin printf -v __cells_final_text '%s ' "$@"
    __cells_final_text=${__cells_final_text% }
    __cells_unwind
}

# A cell's EXIT trap waits for the session's end; its ERR and DEBUG traps run in addition to ours.
trap() {
    local __cells__action=${1-} __cells__name
    local -a __cells__others=()
    if [[ $BASHPID != "$__cells_pid" || $# -lt 2 || $1 == -[lp]* ]]; then
        builtin trap "$@"
        return
    fi
    [[ $1 != -- ]] || { __cells__action=$2 && shift; }
    shift
    for __cells__name; do
        case ${__cells__name^^} in
        EXIT | 0 | SIGEXIT)
            __cells_exit_trap=''
            [[ $__cells__action == - ]] ||
                builtin printf -v __cells_exit_trap 'builtin trap -- %q EXIT' "$__cells__action"
            ;;
        ERR | SIGERR) __cells_watch "$__cells__action" ;;
        DEBUG | SIGDEBUG)
            __cells_on_debug=$__cells__action
            [[ $__cells__action != - ]] || __cells_on_debug=''
            __cells_step
            ;;
        *) __cells__others+=("$__cells__name") ;;
        esac
    done
    ((${#__cells__others[@]} == 0)) || builtin trap -- "$__cells__action" "${__cells__others[@]}"
}

# $$ is the keeper, which would pass the signal on a moment later, too.
kill() {
    local -a __cells__args=()
    local __cells__arg
    for __cells__arg; do
        [[ $__cells__arg != "$$" ]] || __cells__arg=$__cells_pid
        __cells__args+=("$__cells__arg")
    done
    builtin kill "${__cells__args[@]}"
}

# An ERR trap that handles `set -e`, after the cell's own. All is in its first line: later lines would count as lines.
__cells_watch() {
    __cells_on_err=${1-}
    [[ $__cells_on_err != - ]] || __cells_on_err=''
    local __cells__ours='if __cells_note "$?" "$LINENO" "$BASH_COMMAND" "${BASH_SOURCE[0]-}"; then '
    __cells__ours+='__cells_give "${__cells_place[0]}" && :; eval "$__cells_on_err"; __cells_failed; fi'
    builtin trap "$__cells__ours" ERR
}

# A DEBUG trap for the cell's own commands. Functions that set one must be traced, or it is gone when they return.
__cells_step() {
    if [[ -z $__cells_on_debug ]]; then
        builtin trap - DEBUG
    else
        local __cells__ours='if __cells_steps "$?" "$BASH_COMMAND" "${FUNCNAME[0]-}" "$LINENO"; then '
        __cells__ours+='__cells_give "$__cells_given" && :; eval "$__cells_on_debug"; fi'
        builtin trap "$__cells__ours" DEBUG
    fi
}

# Commands at the start of the cell's file are not the cell's own, nor are those in our functions or their subshells.
__cells_steps() {
    __cells_given=$1
    [[ -n $__cells_running && -z ${__cells_unwinding-}$__cells_noting && $BASHPID == "$__cells_pid" ]] &&
        ((${#FUNCNAME[@]} > __cells_depth)) || return
    [[ $__cells_first$2 != 1: && $2 != __cells_* ]] || { __cells_first='' && return 1; }
    case $3 in
    __cells_* | exit | trap | kill | final_answer) return 1 ;;
    esac
    # An ERR trap (ours at least) starts again with the command that failed. That may be a subshell, about
    # which bash itself reports nothing here.
    if (($1 != 0)) && [[ $__cells_stepped == "$4 $2" || $2 == '( '* ]]; then
        __cells_stepped=''
        return 1
    fi
    __cells_first='' __cells_stepped="$4 $2"
}

# The command that sources the cell ends with the cell's status, and one in a tool, which has no file, with the tool's:
# these are no separate failures. For a tool, bash reports the command that ended it.
__cells_note() {
    [[ -n $__cells_running && -z ${__cells_unwinding-} ]] || return
    if ((${#FUNCNAME[@]} > __cells_depth)) && [[ $4 != environment ]]; then
        __cells_place=("$@") __cells_noting=1
        [[ $3 != 'return "$__cells_given"' ]] || __cells_place[2]=${__cells_tool-}
    else
        [[ $BASHPID != "$__cells_pid" ]] || __cells_no_errexit
        return 1
    fi
}

__cells_give() { return "$1"; }

# Under `set -e` bash ends the shell after this.
__cells_failed() {
    __cells_noting=''
    [[ $-${__cells_errexit:+e} == *e* && $BASHPID == "$__cells_pid" ]] || return 0
    __cells_cause=errexit __cells_exit=${__cells_place[0]}
    __cells_unwind
}

__cells_interrupt() {
    if [[ -z $__cells_running ]]; then
        # It is for a cell that was sent and has not begun; else it is dropped. It may have come just before the shell
        # began to read; then bash handles it only when there is a frame.
        [[ -z $__cells_due && -n ${__cells__kind-}${__cells__line-} ]] && return 0
        [[ -z $__cells_due ]] && ! builtin read -t 0 -u "$__cells_r" 2> /dev/null || __cells_early=1
        return 0
    fi
    __cells_cause=interrupt
    __cells_unwind
}

# The cell's effects: its options, and how it ended. Our own options are those of a plain shell.
__cells_after() {
    __cells_r=198 __cells_w=199 __cells_due='' __cells_early=''
    if [[ -n ${__cells_unread-} ]]; then
        __cells_back && :
        __cells_running='' __cells_unread=''
    fi
    local __cells__options=$-
    builtin set +euxvfkC
    builtin shopt -q nocasematch && __cells_nocase=1 || __cells_nocase=''
    builtin shopt -u nocasematch
    [[ -z ${__cells_errexit-} ]] || __cells__options+=e
    [[ -z ${__cells_traced-} ]] || __cells__options+=x
    unset -v __cells_errexit __cells_traced
    __cells_options=${__cells__options//[!euxvfkC]/}
    __cells_stdin=''
    builtin trap - DEBUG
    if [[ -n ${__cells_unwinding-} ]]; then
        shopt "$__cells_unwinding" extdebug
        builtin set "$__cells_functrace"
        __cells_unwinding=''
    fi
    builtin set -E
}

# __cells_exception with type $1 and message $2, at line $3 of cell $4.
__cells_problem() {
    local __cells__type __cells__message __cells__place=''
    local __cells__lines='"line":null,"column":null,"cell":null'
    if [[ -n ${3-} ]]; then
        __cells__place="cell $4: line $3: " __cells__lines="\"line\":$3,\"column\":null,\"cell\":$4"
    fi
    __cells_quote "$1"
    __cells__type=$__cells_json
    __cells_quote "$2"
    __cells__message=$__cells_json
    __cells_quote "$__cells__place${5-$2}"
    __cells_exception="{\"type\":$__cells__type,\"message\":$__cells__message,$__cells__lines,\
\"traceback\":$__cells_json}"
}

# Status 2 is also that of a text with a syntax error: bash parses it once more, without running it.
__cells_syntax() {
    local __cells__said
    builtin printf 'set -n;%s\n' "$__cells_bytes" 2> /dev/null >| "$__cells_dir/cell $__cells_id" || return 1
    __cells__said=$(builtin cd -- "$__cells_dir" && builtin source "cell $__cells_id" 2>&1)
    __cells__said=${__cells__said/"\`set -n;"/"\`"}
    [[ $__cells__said =~ ^cell\ [0-9]+:\ line\ ([0-9]+):\ ([^$'\n']*) ]] || return 1
    __cells_problem SyntaxError "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}" "$__cells_id" \
        "${BASH_REMATCH[2]}${__cells__said#"${BASH_REMATCH[0]}"}"
}

__cells_explain() {
    local __cells__line __cells__cell
    case ${__cells_cause-} in
    interrupt) __cells_problem Interrupted 'the cell was interrupted' ;;
    errexit)
        __cells__line=${__cells_place[1]} __cells__cell=${__cells_place[3]}
        [[ $__cells__cell =~ cell\ ([0-9]+)$ ]] && __cells__cell=${BASH_REMATCH[1]} || __cells__line=''
        __cells_problem CommandFailed "'${__cells_place[2]}' ended with status $__cells_exit (set -e)" \
            "$__cells__line" "$__cells__cell"
        ;;
    died) __cells_problem ShellError 'the shell could not go on; standard error says why' ;;
    *) [[ $__cells_status == 2 && -z ${__cells_exit-} ]] && __cells_syntax ;;
    esac
}

__cells_answer() {
    local __cells__final=null __cells__is_final=false __cells__interrupted=false __cells__exited=false
    [[ -z ${__cells_exit-} || -n ${__cells_cause-} ]] || __cells__exited=true
    if [[ -n ${__cells_final_text+x} ]]; then
        __cells_quote "$__cells_final_text"
        __cells__final=$__cells_json __cells__is_final=true
    fi
    [[ ${__cells_cause-} == interrupt ]] && __cells__interrupted=true
    __cells_send done "$__cells_id" "{\"ok\":$1,\"value\":null,\"results\":[],\"exception\":$3,\
\"final_answer\":$__cells__final,\"is_final_answer\":$__cells__is_final,\
\"exit\":$2,\"exited\":$__cells__exited,\"interrupted\":$__cells__interrupted}"
}

# A text of nothing but comments does not change the status.
__cells_has_command() {
    local __cells__line
    local -a __cells__lines=()
    builtin mapfile -t __cells__lines <<< "$__cells_bytes"
    for __cells__line in "${__cells__lines[@]}"; do
        [[ $__cells__line =~ ^[[:space:]]*(#|$) ]] || return 0
    done
    return 1
}

__cells_done() {
    local __cells__code=${__cells_exit-$__cells_status} __cells__ok=false
    __cells_exception=null
    __cells_leave
    [[ $__cells__code == 0 || $__cells__code != "$__cells_before" ]] || __cells_has_command || __cells__code=''
    [[ -z ${__cells_final_text+x} ]] || __cells__code=0
    [[ ${__cells_cause-} != interrupt ]] || __cells__code=130
    if [[ ${__cells__code:-0} != 0 || -n ${__cells_cause-} ]]; then
        __cells_explain
    fi
    [[ ${__cells__code:-0} == 0 && $__cells_exception == null ]] && __cells__ok=true
    __cells_status=${__cells__code:-$__cells_status}
    [[ ${__cells__code:-0} != 0 || -n ${__cells_exit-} ]] || __cells__code=null
    # Bash alone does not free its space, only its bytes.
    : 2> /dev/null >| "$__cells_dir/cell $__cells_id"
    __cells_answer "$__cells__ok" "$__cells__code" "$__cells_exception"
}

# ---- tools ----

# Runs a function of ours without output of `set -x`, which is on again after it, or after the cell if it is left here.
__cells_untraced() {
    {
        [[ $- != *x* ]] || __cells_traced=1
        builtin set +x
    } 2> /dev/null
    "$@"
    {
        __cells_given=$?
        [[ -z ${__cells_traced-} ]] || builtin set -x
        __cells_traced=''
        return "$__cells_given"
    } 2> /dev/null
}

__cells_call() {
    # An interrupt waits until the answer is read; otherwise the next frame would begin in the middle of it.
    local __cells__name=$1 __cells__args='' __cells__arg __cells__kind __cells__id __cells__length __cells__body
    local __cells__call __cells_calling=1
    shift
    for __cells__arg; do
        __cells_quote "$__cells__arg"
        __cells__args+=${__cells__args:+,}$__cells_json
    done
    if ((${#__cells__args} > __cells_call_max)); then
        builtin printf '%s: the arguments are larger than a call may be\n' "$__cells__name" >&2
        return 1
    fi
    # Subshells, whose count is lost, use numbers of their own.
    __cells__call=$((__cells_calls += 1)) __cells_tool=$__cells__name
    [[ $BASHPID == "$__cells_pid" ]] || __cells__call=$((BASHPID * 1000 + __cells_calls % 1000))
    __cells_send call "$__cells__call" "{\"name\":\"$__cells__name\",\"args\":[$__cells__args],\"kwargs\":{}}"
    while __cells_head; do
        __cells_read "$__cells__length" || return 1
        [[ $__cells__kind == answer && $__cells__id == "$__cells__call" ]] && break
    done
    __cells__body=$__cells_bytes
    if __cells_member "$__cells__body" error; then
        __cells__body=$__cells_raw
        __cells_member "$__cells__body" type && __cells_unquote "$__cells_raw" && __cells__arg=$__cells_text
        __cells_member "$__cells__body" message && __cells_unquote "$__cells_raw"
        builtin printf '%s: %s: %s\n' "$__cells__name" "$__cells__arg" "$__cells_text" >&2
        return 1
    fi
    __cells_member "$__cells__body" ok
    [[ $__cells_raw == null ]] && return 0
    __cells_scalar "$__cells_raw"
    builtin printf '%s\n' "$__cells_text"
}

# ---- the loop ----

__cells_utf8=$'^([\x01-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]'
__cells_utf8+=$'|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]'
__cells_utf8+=$'|\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf])*'
__cells_turn='if ! __cells_bytewise __cells_next; then
    __cells_over=1
    echo over >&192
    eval "$__cells_exit_trap"
    builtin exit 0
fi
__cells_prepare
if [[ -n $__cells_stdin ]]; then
    { source "$__cells_name"; } 198<&- 199>&- 192>&- 196<&- < "$__cells_stdin"
else
    { source "$__cells_name"; } 198<&- 199>&- 192>&- 196<&-
fi
{ __cells_status=$? __cells_running=; __cells_after; } 2> /dev/null
__cells_bytewise __cells_done'
# A cell with `break` would leave a loop of bash: so `mapfile` reads a stream without an end, and calls us for each
# line.
__cells_loop='exec 196< /dev/zero
builtin mapfile -d "" -c 1 -C "eval \"\$__cells_turn\" #" -u 196 __cells_turns'
# The shell ends. If it is in a cell, a fork of it continues, as the leader of a group of its own.
__cells_on_exit='{ __cells_ended "$?"; } 2> /dev/null
if [[ -z ${__cells_over-} && -n $__cells_id ]]; then
    set -m
    (
        set +m
        __cells_born
        __cells_bytewise __cells_done
        eval "$__cells_loop"
    ) &
fi'

__cells_ended() {
    [[ $BASHPID == "$__cells_pid" && -z ${__cells_over-} ]] || { __cells_over=1 && return; }
    # Bash has put the descriptors back, or died before that.
    [[ -e /proc/self/fd/198 ]] || exec 198<&"$__cells_r" 199>&"$__cells_w" 192>&"${__cells_saved[2]}"
    exec < /dev/null
    __cells_cause=died __cells_exit=$1 __cells_status=$1 __cells_running=''
    __cells_after
}

__cells_born() {
    __cells_pid=$BASHPID
    builtin printf '%s\n' "$__cells_pid" >&192
    builtin trap "$__cells_on_exit" EXIT
    __cells_watch
    builtin trap __cells_interrupt INT
}

declare -ft trap exit __cells_step __cells_back __cells_after __cells_unwind __cells_failed __cells_final \
    __cells_interrupt
__cells_value_max=1048576 __cells_call_max=4194304 __cells_calls=0 __cells_id='' __cells_status=0 __cells_options=''
__cells_due='' __cells_early='' __cells_stdin='' __cells_running='' __cells_list=() __cells_r=198 __cells_w=199
__cells_home=$PWD __cells_goes='' __cells_was=''
__cells_nocase='' __cells_exit_trap='''' __cells_on_err='' __cells_on_debug=''
__cells_dir=${TMPDIR:-/tmp}
mkdir -m 700 "$__cells_dir/.cells-$$" 2> /dev/null && __cells_dir+=/.cells-$$
exec 198<&3 199>&4 3<&- 4>&- 190<&0 191>&1
unset -v __cells_n __cells_text
set -m
coproc __CELLS {
    # Bash closes the pipes of a coproc that ends: the keeper must have its copy before, and then closes this one.
    read -r __cells_text
    set +m
    exec 192>&1 0<&190 1>&191 190<&- 191>&-
    unset -v __CELLS __CELLS_PID __cells_text
    shopt -s expand_aliases
    set -E
    __cells_born
    eval "$__cells_loop"
}
__cells_pid=$__CELLS_PID
exec 193<&"${__CELLS[0]}" 198<&- 199>&- 190<&- 191>&-
exec {__CELLS[1]}>&- 2> /dev/null
# Bash reports jobs that end; no reader needs that.
exec 2> /dev/null
trap 'kill -INT -- "-$__cells_pid" 2> /dev/null' INT
for __cells_signal in HUP QUIT USR1 USR2 PIPE ALRM TERM URG VTALRM PROF WINCH IO PWR; do
    trap "kill -$__cells_signal \"\$__cells_pid\" 2> /dev/null" "$__cells_signal"
done
while read -r -u 193 __cells_line; do
    [[ $__cells_line == over ]] && __cells_over=1 || __cells_pid=$__cells_line
done
rm -rf "${TMPDIR:-/tmp}/.cells-$$" 2> /dev/null
builtin exit $((1 - ${__cells_over:-0}))
