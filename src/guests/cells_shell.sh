# SPDX-License-Identifier: Apache-2.0
# A session in bash, by what bash alone has: cells come as frames on descriptor 3, what became of them goes out on 4
# (src/session/cell_wire.h).
#
# A cell is sourced from a file that is called "cell 3", so messages and functions say where they are from, at the top
# level, so all it does lasts. What would end the shell ends the cell: `exit` is a function; a failing command under
# `set -e` is seen by an ERR trap, which takes the option off before bash acts on it. Both then leave functions and
# loops by a DEBUG trap whose status 2 means "return" (extdebug). What is left (`set -u`, ${x:?}, `builtin exit`) really
# ends the shell, and its EXIT trap goes on in a fork. A keeper, which is the process that was started, holds all
# together and passes interrupts on to whatever the cell runs.
#
# The frames' descriptors are 198 and 199, and 192 goes to the keeper. They are closed while a cell runs; bash keeps
# closed-on-exec copies, __cells_r and __cells_w.

# ---- frames ----

# __cells_bytes: $1 bytes from the frames. False at their end. `read` drops NUL bytes and waits for others instead: the
# host sends a frame in one go, so what does not come within two seconds is none.
__cells_read() {
    local LC_ALL=C IFS='' part left=$1 most
    __cells_bytes='' __cells_nul=''
    while ((left > 0)); do
        most=$((left < 65536 ? left : 65536))
        builtin read -r -t 2 -N "$most" -u "$__cells_r" part || {
            (($? > 128)) || return 1
            __cells_nul=1
        }
        __cells_bytes+=$part
        ((left -= most))
    done
    return 0
}

__cells_send() {
    local LC_ALL=C
    builtin printf '%s %d %d\n%s' "$1" "$2" "${#3}" "$3" >&"$__cells_w"
}

# ---- JSON ----

# __cells_json: $1 as a string. What is no UTF-8 becomes U+FFFD.
__cells_quote() {
    local LC_ALL=C s=$1 i c code
    if [[ $s == *[![:print:]]* || $s == *[\"\\]* ]]; then
        s=${s//\\/\\\\} s=${s//\"/\\\"} s=${s//$'\n'/\\n} s=${s//$'\t'/\\t} s=${s//$'\r'/\\r}
        if [[ $s == *[[:cntrl:]]* ]]; then
            for ((i = 1; i < 32; i++)); do
                builtin printf -v code '\\x%02x' "$i"
                builtin printf -v c '%b' "$code"
                builtin printf -v code '\\u%04x' "$i"
                s=${s//"$c"/"$code"}
            done
        fi
        [[ $s =~ $__cells_utf8 && ${#BASH_REMATCH[0]} -eq ${#s} ]] || __cells_repair
    fi
    __cells_json="\"$s\""
}

__cells_repair() {
    local out=''
    while [[ -n $s ]]; do
        [[ $s =~ $__cells_utf8 ]]
        out+=${BASH_REMATCH[0]}
        s=${s:${#BASH_REMATCH[0]}}
        if [[ -n $s ]]; then
            out+=$'\xef\xbf\xbd'
            s=${s:1}
        fi
    done
    s=$out
}

# The values that follow are read from __cells_s, which loses what was read.
__cells_skip() { __cells_s=${__cells_s#"${__cells_s%%[![:space:]]*}"}; }

# __cells_raw: the next value's text.
__cells_take() {
    local depth=0 head
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
        '[' | '{') ((depth += 1)) && __cells_raw+=${__cells_s:0:1} __cells_s=${__cells_s:1} ;;
        ']' | '}')
            ((depth -= 1, 1))
            __cells_raw+=${__cells_s:0:1} __cells_s=${__cells_s:1}
            ;;
        '') return ;;
        esac
        ((depth > 0)) || return 0
        head=${__cells_s%%[][\{\}\"]*}
        __cells_raw+=$head __cells_s=${__cells_s:${#head}}
    done
}

# A string with its quotes; the one that ends it is the first that is not behind a backslash.
__cells_take_string() {
    local text=${__cells_s:1} end
    end=${text%%\"*}
    if [[ $end == *\\ ]]; then
        text=${text//'\\'/__}
        text=${text//'\"'/__}
        end=${text%%\"*}
    fi
    __cells_raw+=${__cells_s:0:${#end}+2} __cells_s=${__cells_s:${#end}+2}
}

# __cells_text: what the string $1, with its quotes, stands for. A character that is not in it keeps the place of a
# backslash meanwhile.
__cells_unquote() {
    local LC_ALL=C i place rest
    __cells_text=${1:1:-1}
    [[ $__cells_text == *\\* ]] || return 0
    for ((i = 1; i < 32; i++)); do
        builtin printf -v place 'u%04x' "$i"
        [[ ${__cells_text,,} == *"$place"* ]] || break
    done
    builtin printf -v place '\\x%02x' "$i"
    builtin printf -v place '%b' "$place"
    __cells_text=${__cells_text//'\\'/"$place"}
    __cells_text=${__cells_text//'\"'/'"'} __cells_text=${__cells_text//'\/'//}
    __cells_text=${__cells_text//'\n'/$'\n'} __cells_text=${__cells_text//'\t'/$'\t'}
    __cells_text=${__cells_text//'\r'/$'\r'} __cells_text=${__cells_text//'\b'/$'\b'}
    __cells_text=${__cells_text//'\f'/$'\f'}
    while [[ $__cells_text == *'\u'* ]]; do
        rest=${__cells_text#*'\u'}
        __cells_code
    done
    __cells_text=${__cells_text//"$place"/'\'}
}

# All occurrences of the first \u in `rest`, with the second half of a pair.
__cells_code() {
    local text="\\u${rest:0:4}" code=$((16#${rest:0:4})) bytes
    if ((code >= 0xd800 && code < 0xdc00)) && [[ ${rest:4:2} == '\u' ]]; then
        text+=${rest:4:6}
        code=$((0x10000 + (code - 0xd800) * 0x400 + 16#${rest:6:4} - 0xdc00))
    fi
    if ((code == 0)); then
        bytes=''
    elif ((code < 0x80)); then
        builtin printf -v bytes '\\x%02x' "$code"
    elif ((code < 0x800)); then
        builtin printf -v bytes '\\x%02x' $((0xc0 | code >> 6)) $((0x80 | code & 63))
    elif ((code < 0x10000)); then
        builtin printf -v bytes '\\x%02x' $((0xe0 | code >> 12)) $((0x80 | code >> 6 & 63)) $((0x80 | code & 63))
    else
        builtin printf -v bytes '\\x%02x' $((0xf0 | code >> 18)) $((0x80 | code >> 12 & 63)) \
            $((0x80 | code >> 6 & 63)) $((0x80 | code & 63))
    fi
    builtin printf -v bytes '%b' "$bytes"
    __cells_text=${__cells_text//"$text"/"$bytes"}
}

# __cells_list: the members' texts of the array or object $1; of an object, names and values in turn.
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

# __cells_raw: the member of the object $1 that is called $2.
__cells_member() {
    local i __cells_list
    __cells_members "$1"
    for ((i = 0; i + 1 < ${#__cells_list[@]}; i += 2)); do
        __cells_raw=${__cells_list[i + 1]}
        [[ ${__cells_list[i]} == "\"$2\"" ]] && return 0
    done
    __cells_raw=''
    return 1
}

# __cells_text: a value of any kind as a shell has it: text. What is no scalar keeps its JSON.
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
    local name=$1 raw=$2 i
    if [[ ! $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ || $name == __cells_* ]]; then
        __cells_why="'$name' is not a name for a variable"
        return 1
    fi
    unset -v "$name" 2> /dev/null || { __cells_why="$name: readonly variable" && return 1; }
    case $raw in
    \{*) __cells_assign_object ;;
    \[*) __cells_assign_list "$raw" ;;
    *)
        __cells_scalar "$raw"
        declare -g "$name=$__cells_text"
        ;;
    esac
}

__cells_assign_list() {
    local -a items=()
    __cells_members "$1"
    local -a raws=("${__cells_list[@]}")
    for ((i = 0; i < ${#raws[@]}; i++)); do
        __cells_scalar "${raws[i]}"
        items+=("$__cells_text")
    done
    declare -ga "$name=()"
    local -n __cells_to=$name
    __cells_to=("${items[@]}")
}

__cells_assign_object() {
    if __cells_member "$raw" '$type'; then
        if __cells_member "$raw" items; then
            __cells_assign_list "$__cells_raw"
        else
            __cells_scalar "$raw"
            declare -g "$name=$__cells_text"
        fi
        return
    fi
    __cells_members "$raw"
    local -a raws=("${__cells_list[@]}")
    local key
    declare -gA "$name=()"
    local -n __cells_to=$name
    for ((i = 0; i + 1 < ${#raws[@]}; i += 2)); do
        __cells_unquote "${raws[i]}"
        key=$__cells_text
        __cells_scalar "${raws[i + 1]}"
        [[ -n $key ]] && __cells_to["$key"]=$__cells_text
    done
}

__cells_set() {
    local i __cells_why='' raws
    __cells_members "$__cells_bytes"
    raws=("${__cells_list[@]}")
    for ((i = 0; i + 1 < ${#raws[@]}; i += 2)); do
        __cells_unquote "${raws[i]}"
        if ! __cells_assign "$__cells_text" "${raws[i + 1]}"; then
            __cells_problem ValueError "$__cells_why"
            __cells_send done "$1" "{\"ok\":false,\"exception\":$__cells_exception}"
            return
        fi
    done
    __cells_send done "$1" '{"ok":true,"exception":null}'
}

# __cells_json: a variable's value; false when there is none.
__cells_variable() {
    local -n __cells_of=$1
    local flags=${__cells_of@a} out='' between='' key
    if [[ $flags == *[aA]* ]]; then
        for key in "${!__cells_of[@]}"; do
            if [[ $flags == *A* ]]; then
                __cells_quote "$key"
                between+=$__cells_json:
            fi
            __cells_quote "${__cells_of[$key]}"
            out+=$between$__cells_json between=,
        done
        [[ $flags == *A* ]] && __cells_json="{$out}" || __cells_json="[$out]"
    else
        [[ -v __cells_of ]] || return 1
        __cells_quote "$__cells_of"
    fi
}

__cells_get() {
    local i names values='' missing='' failed=''
    __cells_member "$__cells_bytes" names
    __cells_members "$__cells_raw"
    names=("${__cells_list[@]}")
    for ((i = 0; i < ${#names[@]}; i++)); do
        __cells_unquote "${names[i]}"
        if [[ ! $__cells_text =~ ^[A-Za-z_][A-Za-z0-9_]*$ || $__cells_text == __cells_* ]] ||
            ! declare -p "$__cells_text" &> /dev/null || ! __cells_variable "$__cells_text"; then
            missing+=${missing:+,}${names[i]}
        elif ((${#__cells_json} > __cells_value_max)); then
            failed+="${failed:+,}${names[i]}:\"the value is larger than a result may be\""
        else
            values+=${values:+,}${names[i]}:$__cells_json
        fi
    done
    __cells_send done "$1" "{\"ok\":true,\"values\":{$values},\"missing\":[$missing],\"failed\":{$failed}}"
}

__cells_hello() {
    local i raws
    __cells_members "$__cells_bytes"
    raws=("${__cells_list[@]}")
    for ((i = 0; i + 1 < ${#raws[@]}; i += 2)); do
        __cells_members "${raws[i + 1]}"
        case ${raws[i]} in
        '"limits"') __cells_limits ;;
        '"env"') __cells_env ;;
        '"tools"') __cells_tools ;;
        '"final_answer"') [[ ${raws[i + 1]} != true ]] || final_answer() { __cells_final "$@"; } ;;
        esac
    done
    __cells_send ready 0 "{\"language\":\"bash\",\"version\":\"${BASH_VERSION%%(*}\"}"
}

__cells_limits() {
    local i
    for ((i = 0; i + 1 < ${#__cells_list[@]}; i += 2)); do
        case ${__cells_list[i]} in
        '"value"') __cells_value_max=${__cells_list[i + 1]} ;;
        '"call"') __cells_call_max=${__cells_list[i + 1]} ;;
        esac
    done
}

__cells_env() {
    local i name
    for ((i = 0; i + 1 < ${#__cells_list[@]}; i += 2)); do
        __cells_unquote "${__cells_list[i]}"
        name=$__cells_text
        __cells_unquote "${__cells_list[i + 1]}"
        [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] && declare -gx "$name=$__cells_text"
    done
}

__cells_tools() {
    local tool tools=("${__cells_list[@]}")
    for tool in "${tools[@]}"; do
        __cells_member "$tool" name
        __cells_unquote "$__cells_raw"
        [[ $__cells_text =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] && eval "$__cells_text() { __cells_call $__cells_text \"\$@\"; }"
    done
}

# What the cell will read as its input, NUL and all.
__cells_input() {
    local LC_ALL=C IFS='' part left=$1
    : >| "$__cells_dir/input"
    while ((left > 0)); do
        builtin read -r -d '' -n "$left" -u "$__cells_r" part || return 1
        builtin printf %s "$part" >> "$__cells_dir/input"
        ((left -= ${#part}))
        ((left > 0)) && builtin printf '\0' >> "$__cells_dir/input" && ((left -= 1))
    done
    __cells_stdin=$__cells_dir/input
}

# Acts on frames until one is a cell to run. False at their end.
__cells_next() {
    local LC_ALL=C kind='' id length IFS=' '
    # Without its keeper nobody would end it.
    while builtin read -r -u "$__cells_r" kind id length && builtin kill -0 $$ 2> /dev/null; do
        if [[ $kind == stdin ]]; then
            kind=''
            __cells_input "$length" || return 1
            continue
        fi
        [[ $kind != exec ]] || __cells_due=1
        __cells_read "$length" || return 1
        case $kind in
        hello) __cells_hello ;;
        set) __cells_set "$id" ;;
        get) __cells_get "$id" ;;
        exec)
            __cells_id=$id
            [[ $__cells_bytes != *$'\r\n'* ]] || __cells_bytes=${__cells_bytes//$'\r\n'/$'\n'}
            [[ -n $__cells_nul ]] || return 0
            __cells_problem ValueError 'bash cannot run a text with a NUL byte in it'
            __cells_answer false null "$__cells_exception"
            ;;
        esac
        __cells_due='' __cells_early='' kind=''
    done
    return 1
}

# ---- a cell ----

# The file's first line begins with this: back to the folder, and the cell's own options on.
__cells_back() {
    [[ -z $__cells_pwd ]] || { builtin cd -- "$__cells_pwd" && OLDPWD=$__cells_old; }
    __cells_running=1
    [[ -z $__cells_early ]] || __cells_interrupt
    [[ -z $__cells_options ]] || builtin set "-$__cells_options"
    return "$__cells_status"
}

# Writes the cell's file, and says in __cells_name by which name it is sourced: without a path it is looked for in PATH,
# then here. A file takes the place of one that cannot be written.
__cells_write() {
    local file="$__cells_dir/cell $__cells_id"
    __cells_pwd='' __cells_old=${OLDPWD-} __cells_name=$file
    local first='__cells_back && :;'
    [[ $__cells_options != *[xv]* ]] || first='{ __cells_back && :; } 2> /dev/null;'
    if ! builtin printf '%s%s\n' "$first" "$__cells_bytes" 2> /dev/null >| "$file"; then
        __cells_name=/dev/fd/197
        exec 197<<< "$first$__cells_bytes"
    elif [[ $PWD -ef . && ! -o posix && -x $PWD ]] && builtin cd -- "$__cells_dir"; then
        __cells_name="cell $__cells_id" __cells_pwd=$__cells_old_pwd
    fi
}

__cells_prepare() {
    local n
    __cells_old_pwd=$PWD __cells_depth=${#FUNCNAME[@]}
    __cells_write
    __cells_before=$__cells_status
    unset -v __cells_exit __cells_final_text __cells_cause __cells_place
    # Where bash will put the frames' descriptors while they are closed: the first that are free.
    __cells_saved=()
    for ((n = 10; ${#__cells_saved[@]} < 3; n++)); do
        [[ -e /proc/self/fd/$n || -L /proc/self/fd/$n ]] || __cells_saved+=("$n")
    done
    __cells_r=${__cells_saved[0]} __cells_w=${__cells_saved[1]}
}

__cells_unwind() {
    __cells_no_errexit
    __cells_debug=$(builtin trap -p DEBUG)
    shopt -q extdebug || __cells_no_extdebug=1
    shopt -s extdebug
    builtin trap __cells_out DEBUG
}

__cells_no_errexit() {
    [[ $- != *e* ]] || __cells_errexit=1
    builtin set +e
}

# 2 is "return"; at the loop's own level there is nothing to return from.
__cells_out() {
    ((${#FUNCNAME[@]} > __cells_depth)) && [[ -z ${__cells_calling-} && $BASHPID == "$__cells_pid" && -n $__cells_running ]] && return 2
    return 0
}

exit() {
    local status=$?
    [[ $BASHPID == "$__cells_pid" && -n $__cells_running ]] || builtin exit "${@-$status}"
    if (($# > 0)) && [[ ! $1 =~ ^-?[0-9]+$ ]]; then
        builtin printf 'exit: %s: numeric argument required\n' "$1" >&2
        __cells_exit=2
    else
        __cells_exit=$((10#0${1-$status} & 255))
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
    local IFS=' '
    __cells_final_text="$*"
    __cells_unwind
}

# What the cell says of EXIT waits for the session's end, and of ERR is done beside ours.
trap() {
    local action=${1-} name
    local -a others=()
    if [[ $BASHPID != "$__cells_pid" || $# -lt 2 || $1 == -[lp]* ]]; then
        builtin trap "$@"
        return
    fi
    [[ $1 != -- ]] || { action=$2 && shift; }
    shift
    for name; do
        case ${name^^} in
        EXIT | 0 | SIGEXIT)
            [[ $action == - ]] && __cells_exit_trap='' || builtin printf -v __cells_exit_trap 'builtin trap -- %q EXIT' "$action"
            ;;
        ERR | SIGERR) __cells_watch "$action" ;;
        *) others+=("$name") ;;
        esac
    done
    ((${#others[@]} == 0)) || builtin trap -- "$action" "${others[@]}"
}

# An ERR trap that sees to `set -e`, after the cell's own.
__cells_watch() {
    local own=${1-}
    [[ $own != - ]] || own=''
    builtin trap 'if __cells_note "$?" "$LINENO" "$BASH_COMMAND" "${BASH_SOURCE[0]-}"; then
__cells_give "${__cells_place[0]}" && :
'"$own"'
__cells_failed
fi' ERR
}

__cells_note() {
    [[ -n $__cells_running && -z ${__cells_debug+x} ]] && __cells_place=("$@")
}

__cells_give() { return "$1"; }

# Under `set -e` bash ends the shell after this.
__cells_failed() {
    [[ $- == *e* && $BASHPID == "$__cells_pid" ]] || return 0
    __cells_cause=errexit __cells_exit=${__cells_place[0]}
    __cells_unwind
}

__cells_interrupt() {
    if [[ -z $__cells_running ]]; then
        # It is for a cell that has been sent and has not begun; or for none. It may have come just before the shell
        # sat down to read, which then does not see to it until there is a frame.
        [[ -z $__cells_due && -n ${kind-} ]] && return 0
        [[ -z $__cells_due ]] && ! builtin read -t 0 -u "$__cells_r" 2> /dev/null || __cells_early=1
        return 0
    fi
    __cells_cause=interrupt
    __cells_unwind
}

# What the cell left: its options, and how it ended. Ours are those of a plain shell.
__cells_after() {
    __cells_r=198 __cells_w=199 __cells_due='' __cells_early=''
    local options=$-
    builtin set +euxvfkC
    [[ -z ${__cells_errexit-} ]] || options+=e
    unset -v __cells_errexit
    __cells_options=${options//[!euxvfkC]/}
    __cells_stdin=''
    if [[ -n ${__cells_no_extdebug-}${__cells_debug+x} ]]; then
        builtin trap - DEBUG
        [[ -z ${__cells_no_extdebug-} ]] || shopt -u extdebug
        eval "${__cells_debug-}"
        builtin set +T
        unset -v __cells_no_extdebug __cells_debug
    fi
    builtin set -E
}

# __cells_exception of type $1 and message $2, at line $3 of cell $4.
__cells_problem() {
    local type message place='' lines='"line":null,"column":null,"cell":null'
    if [[ -n ${3-} ]]; then
        place="cell $4: line $3: " lines="\"line\":$3,\"column\":null,\"cell\":$4"
    fi
    __cells_quote "$1"
    type=$__cells_json
    __cells_quote "$2"
    message=$__cells_json
    __cells_quote "$place${5-$2}"
    __cells_exception="{\"type\":$type,\"message\":$message,$lines,\"traceback\":$__cells_json}"
}

# Status 2 is also that of a text which is none: bash reads it once more, without running it.
__cells_syntax() {
    local said
    builtin printf 'set -n;%s\n' "$__cells_bytes" 2> /dev/null >| "$__cells_dir/cell $__cells_id" || return 1
    said=$(builtin cd -- "$__cells_dir" && builtin source "cell $__cells_id" 2>&1)
    [[ $said =~ ^cell\ [0-9]+:\ line\ ([0-9]+):\ ([^$'\n']*) ]] || return 1
    __cells_problem SyntaxError "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}" "$__cells_id" \
        "${BASH_REMATCH[2]}${said#"${BASH_REMATCH[0]}"}"
}

__cells_explain() {
    local line cell
    case ${__cells_cause-} in
    interrupt) __cells_problem Interrupted 'the cell was interrupted' ;;
    errexit)
        line=${__cells_place[1]} cell=${__cells_place[3]}
        [[ $cell =~ cell\ ([0-9]+)$ ]] && cell=${BASH_REMATCH[1]} || line=''
        __cells_problem CommandFailed "'${__cells_place[2]}' ended with status $__cells_exit (set -e)" "$line" "$cell"
        ;;
    died) __cells_problem ShellError 'the shell could not go on; standard error says why' ;;
    *) [[ $__cells_status == 2 && -z ${__cells_exit-} ]] && __cells_syntax ;;
    esac
}

__cells_answer() {
    local final=null is_final=false interrupted=false
    if [[ -n ${__cells_final_text+x} ]]; then
        __cells_quote "$__cells_final_text"
        final=$__cells_json is_final=true
    fi
    [[ ${__cells_cause-} == interrupt ]] && interrupted=true
    __cells_send done "$__cells_id" "{\"ok\":$1,\"value\":null,\"results\":[],\"exception\":$3,\"final_answer\":$final,\
\"is_final_answer\":$is_final,\"exit\":$2,\"interrupted\":$interrupted}"
}

# A text of nothing but comments leaves the status as it was.
__cells_has_command() {
    local line
    while IFS='' builtin read -r line; do
        [[ $line =~ ^[[:space:]]*(#|$) ]] || return 0
    done <<< "$__cells_bytes"
    return 1
}

__cells_done() {
    local code=${__cells_exit-$__cells_status} ok=false
    __cells_exception=null
    [[ $code == 0 || $code != "$__cells_before" ]] || __cells_has_command || code=''
    [[ -z ${__cells_final_text+x} ]] || code=0
    [[ ${__cells_cause-} != interrupt ]] || code=130
    if [[ ${code:-0} != 0 || -n ${__cells_cause-} ]]; then
        __cells_explain
    fi
    [[ ${code:-0} == 0 && $__cells_exception == null ]] && ok=true
    __cells_status=${code:-$__cells_status}
    [[ ${code:-0} != 0 || -n ${__cells_exit-} ]] || code=null
    # Its space is not given back by bash alone, its bytes are.
    : 2> /dev/null >| "$__cells_dir/cell $__cells_id"
    __cells_answer "$ok" "$code" "$__cells_exception"
}

# ---- tools ----

__cells_call() {
    # An interrupt waits until the answer is read, or the next frame would begin in its middle.
    local LC_ALL=C name=$1 args='' arg kind id length body __cells_calling=1
    shift
    for arg; do
        __cells_quote "$arg"
        args+=${args:+,}$__cells_json
    done
    if ((${#args} > __cells_call_max)); then
        builtin printf '%s: the arguments are larger than a call may be\n' "$name" >&2
        return 1
    fi
    # Subshells, whose count is lost, have numbers of their own.
    [[ $BASHPID == "$__cells_pid" ]] && id=$((__cells_calls += 1)) || id=$((BASHPID * 1000 + (__cells_calls += 1) % 1000))
    __cells_send call "$id" "{\"name\":\"$name\",\"args\":[$args],\"kwargs\":{}}"
    while IFS=' ' builtin read -r -u "$__cells_r" kind arg length; do
        __cells_read "$length" || return 1
        [[ $kind == answer && $arg == "$id" ]] && break
    done
    body=$__cells_bytes
    if __cells_member "$body" error; then
        body=$__cells_raw
        __cells_member "$body" type && __cells_unquote "$__cells_raw" && arg=$__cells_text
        __cells_member "$body" message && __cells_unquote "$__cells_raw"
        builtin printf '%s: %s: %s\n' "$name" "$arg" "$__cells_text" >&2
        return 1
    fi
    __cells_member "$body" ok
    [[ $__cells_raw == null ]] && return 0
    __cells_scalar "$__cells_raw"
    builtin printf '%s\n' "$__cells_text"
}

# ---- the loop ----

__cells_utf8=$'^([\x01-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]'
__cells_utf8+=$'|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]'
__cells_utf8+=$'|\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf])*'
__cells_loop='while __cells_next; do
    __cells_prepare
    if [[ -n $__cells_stdin ]]; then
        { source "$__cells_name"; } 198<&- 199>&- 192>&- < "$__cells_stdin"
    else
        { source "$__cells_name"; } 198<&- 199>&- 192>&-
    fi
    { __cells_status=$? __cells_running=; __cells_after; } 2> /dev/null
    __cells_done
done
__cells_over=1
echo over >&192
eval "$__cells_exit_trap"
builtin exit 0'
# The shell ends. In a cell: a fork of it goes on, as the leader of a group of its own.
__cells_on_exit='{ __cells_ended "$?"; } 2> /dev/null
if [[ -z ${__cells_over-} && -n $__cells_id ]]; then
    set -m
    (
        set +m
        __cells_born
        __cells_done
        eval "$__cells_loop"
    ) &
fi'

__cells_ended() {
    [[ $BASHPID == "$__cells_pid" && -z ${__cells_over-} ]] || { __cells_over=1 && return; }
    # Bash has put the descriptors back, or died before it could.
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

declare -ft trap
__cells_value_max=1048576 __cells_call_max=4194304 __cells_calls=0 __cells_id='' __cells_status=0 __cells_options=''
__cells_due='' __cells_early='' __cells_stdin='' __cells_exit_trap='' __cells_running='' __cells_list=() __cells_r=198 __cells_w=199
__cells_dir=${TMPDIR:-/tmp}
mkdir -m 700 "$__cells_dir/.cells-$$" 2> /dev/null && __cells_dir+=/.cells-$$
exec 198<&3 199>&4 3<&- 4>&- 190<&0 191>&1
unset -v __cells_n __cells_text
set -m
coproc __CELLS {
    # Bash takes the pipes of a coproc that ends away: not before the keeper has its copy, which then closes this one.
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
# Bash tells of jobs that end; nobody needs to hear it.
exec 2> /dev/null
trap 'kill -INT -- "-$__cells_pid" 2> /dev/null' INT
while read -r -u 193 __cells_line; do
    [[ $__cells_line == over ]] && __cells_over=1 || __cells_pid=$__cells_line
done
rm -rf "${TMPDIR:-/tmp}/.cells-$$" 2> /dev/null
builtin exit $((1 - ${__cells_over:-0}))
