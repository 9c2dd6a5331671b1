# What the tests in shell share: they print TAP (testanything.org), one line a check. To be sourced, by sh or
# bash; $work is a folder that goes when the test ends.

work=$(mktemp -d) || exit 1
count=0

check() { # check NAME COMMAND...
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/log" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$work/log"
    fi
}

skip() { # skip NAME WHY
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}
