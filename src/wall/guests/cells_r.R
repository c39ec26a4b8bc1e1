# SPDX-License-Identifier: Apache-2.0
# A session in R, in base R: cells come as frames from cells_in, which the boot line has opened; their results
# goes out on descriptor 4 (src/backends/backends/cell_wire.h). A cell is evaluated expression by expression in the global
# environment. Visible values are printed as Rscript does; the last one is the cell's value. The session's
# own functions (tools, display, an input that can be given) are attached after the global environment.
cells_out <- file("/proc/self/fd/4", "wb", raw = TRUE)
limits <- list(value = 2^20, bundle = 2^22, bundles = 64, text = 1e5, call = 2^22)
state <- new.env()
state$calls <- 0L
state$mode <- "notebook"
state$home <- getwd()
cell <- NULL
really_quit <- base::quit
if (!isTRUE(l10n_info()[["UTF-8"]])) suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))

# ---- frames ----

leave <- function() really_quit("no", 0L, FALSE)

# A frame of length 0 has no bytes to wait for.
take <- function(n) {
    bytes <- if (n > 0L) readBin(cells_in, "raw", n) else raw()
    if (length(bytes) < n) leave()
    bytes
}

next_frame <- function() {
    head <- raw(64L)
    n <- 0L
    while ((byte <- take(1L)) != 10) head[n <- n + 1L] <- byte
    words <- strsplit(rawToChar(head[seq_len(n)]), " ", fixed = TRUE)[[1L]]
    list(kind = words[1L], id = as.numeric(words[2L]), bytes = take(as.integer(words[3L])))
}

send <- function(kind, id, text) {
    bytes <- charToRaw(enc2utf8(text))
    flush(stdout())
    writeBin(c(charToRaw(sprintf("%s %.0f %d\n", kind, id, length(bytes))), bytes), cells_out)
    flush(cells_out)
}

# ---- JSON ----

utf8 <- function(text) {
    text <- enc2utf8(text)
    bad <- !validUTF8(text)
    text[bad] <- iconv(text[bad], "UTF-8", "UTF-8", sub = "?")
    text
}

json_text <- function(x) {
    text <- gsub("\"", "\\\"", gsub("\\", "\\\\", utf8(as.character(x)), fixed = TRUE), fixed = TRUE)
    if (any(grepl("[\001-\037]", text))) {
        text <- gsub("\n", "\\n", gsub("\t", "\\t", gsub("\r", "\\r", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
        if (any(grepl("[\001-\037]", text)))
            for (i in 1:31) text <- gsub(rawToChar(as.raw(i)), sprintf("\\u%04x", i), text, fixed = TRUE)
    }
    ifelse(is.na(x), "null", paste0("\"", text, "\""))
}

json_flag <- function(x) if (isTRUE(x)) "true" else "false"
json_object <- function(names, values)
    paste0("{", if (length(names)) paste0(json_text(names), ":", values, collapse = ","), "}")
json_array <- function(items) paste0("[", paste(items, collapse = ","), "]")

json_number <- function(x) {
    short <- sprintf("%.15g", x)
    text <- ifelse(is.finite(x) & suppressWarnings(as.numeric(short)) != x, sprintf("%.17g", x), short)
    text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "{\"$type\":\"float\",\"text\":\"inf\"}",
        "{\"$type\":\"float\",\"text\":\"-inf\"}")
    text[is.nan(x)] <- "{\"$type\":\"float\",\"text\":\"nan\"}"
    text[is.na(x) & !is.nan(x)] <- "null"
    text
}

LETTERS64 <- c(LETTERS, letters, 0:9, "+", "/")

base64 <- function(bytes) {
    n <- length(bytes)
    if (n == 0L) return("")
    m <- matrix(as.integer(c(bytes, raw(-n %% 3L))), 3L)
    codes <- rbind(m[1L, ] %/% 4L, m[1L, ] %% 4L * 16L + m[2L, ] %/% 16L, m[2L, ] %% 16L * 4L + m[3L, ] %/% 64L,
        m[3L, ] %% 64L)
    text <- LETTERS64[codes + 1L]
    if (n %% 3L) text[length(text) + 1L - seq_len(3L - n %% 3L)] <- "="
    paste(text, collapse = "")
}

from_base64 <- function(text) {
    codes <- match(strsplit(gsub("[=[:space:]]", "", text), "")[[1L]], LETTERS64) - 1L
    n <- length(codes)
    if (n == 0L) return(raw())
    m <- matrix(c(codes, integer(-n %% 4L)), 4L)
    bytes <- rbind(m[1L, ] * 4L + m[2L, ] %/% 16L, m[2L, ] %% 16L * 16L + m[3L, ] %/% 4L, m[3L, ] %% 4L * 64L + m[4L, ])
    as.raw(bytes %% 256L)[seq_len((n * 3L) %/% 4L)]
}

typed <- function(type, ...) {
    parts <- c(...)
    json_object(c("$type", names(parts)), c(json_text(type), parts))
}

# Converts each element of an atomic vector.
json_atoms <- function(x) {
    if (inherits(x, "Date")) return(ifelse(is.na(x), "null", vapply(format(x, "%Y-%m-%d"), function(d) typed("date", text = json_text(d)), "")))
    if (inherits(x, "POSIXt"))
        return(ifelse(is.na(x), "null", vapply(sub("(\\.[0-9]{6})[0-9]*$", "\\1", format(as.POSIXct(x), "%Y-%m-%dT%H:%M:%OS6", tz = "UTC")),
            function(d) typed("datetime", text = json_text(paste0(d, "+00:00"))), "")))
    if (inherits(x, "difftime")) {
        seconds <- as.numeric(x, units = "secs")
        return(ifelse(is.na(x), "null", sprintf("{\"$type\":\"timedelta\",\"days\":%.0f,\"seconds\":%.0f,\"microseconds\":%.0f}",
            seconds %/% 86400, floor(seconds %% 86400), round(seconds %% 1 * 1e6))))
    }
    if (is.factor(x)) x <- as.character(x)
    if (is.character(x)) return(json_text(x))
    if (is.logical(x)) return(ifelse(is.na(x), "null", ifelse(x, "true", "false")))
    if (is.complex(x)) return(sprintf("{\"$type\":\"complex\",\"real\":%s,\"imag\":%s}", json_number(Re(x)), json_number(Im(x))))
    json_number(as.numeric(x))
}

json_other <- function(x)
    typed("other", class = json_text(class(x)[1L]), repr = json_text(substr(text_of(x), 1L, 2000L)))

json_matrix <- function(x) {
    type <- switch(typeof(x), double = "float64", integer = "int64", logical = "bool", complex = "complex128", "object")
    typed("ndarray", class = json_text(type), shape = json_array(dim(x)), items = json_array(json_atoms(as.vector(aperm(x)))))
}

json_of <- function(x, depth = 0L, column = FALSE) {
    if (depth > 150L) stop("the value is nested too deeply")
    if (is.null(x)) return("null")
    if (is.raw(x)) return(typed("bytes", base64 = json_text(base64(x))))
    if (is.data.frame(x)) return(json_object(names(x), vapply(x, json_of, "", depth + 1L, TRUE)))
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    if (is.atomic(x) && !is.null(dim(x)) && length(dim(x)) > 1L) return(json_matrix(x))
    if (is.atomic(x)) {
        if (length(x) > 1e6) stop("the value is larger than a result may be")
        items <- json_atoms(x)
        if (!column && !is.null(names(x)) && !anyDuplicated(names(x))) return(json_object(names(x), items))
        return(if (length(x) == 1L && !column) items else json_array(items))
    }
    if (!is.list(x) || isS4(x) || (is.object(x) && !inherits(x, "AsIs"))) return(json_other(x))
    items <- vapply(x, json_of, "", depth + 1L)
    named <- length(x) && !is.null(names(x)) && all(nzchar(names(x))) && !anyDuplicated(names(x)) && !("$type" %in% names(x))
    if (named) json_object(names(x), items) else json_array(items)
}

checked <- function(x, most) {
    text <- paste(json_of(x), collapse = "")
    if (nchar(text, "bytes") > most) stop("the value is larger than a result may be")
    text
}

# The form of a value that has none, or is too large for one: what it is, and why it is not here.
json_absent <- function(x, why)
    typed("other", class = json_text(class(x)[1L]), repr = json_text(sprintf(
        "<%s of length %s that stayed in the sandbox: %s (a value that comes back has at most %d KiB)>",
        class(x)[1L], tryCatch(as.character(length(x)), error = function(e) "unknown")[1L], why,
        as.integer(limits$value / 1024))))

value_text <- function(x) tryCatch(checked(x, limits$value), error = function(e) json_absent(x, conditionMessage(e)))

# The tokens of the text, and the current position.
from_json <- function(text) {
    Encoding(text) <- "UTF-8"
    pieces <- regmatches(text, gregexpr("\"(?:[^\"\\\\]++|\\\\.)*+\"|[][{}:,]|[^][{}:,\"\\s]++", text, perl = TRUE))[[1L]]
    at <- 0L
    value <- function() {
        piece <- pieces[at <<- at + 1L]
        first <- substr(piece, 1L, 1L)
        if (first == "{") members()
        else if (first == "[") elements()
        else if (first == "\"") unquote(piece)
        else switch(piece, null = NULL, true = TRUE, false = FALSE, as.numeric(piece))
    }
    elements <- function() {
        items <- list()
        while (pieces[at + 1L] != "]") {
            items[length(items) + 1L] <- list(value())
            if (pieces[at + 1L] == ",") at <<- at + 1L
        }
        at <<- at + 1L
        items
    }
    members <- function() {
        items <- list()
        while (pieces[at + 1L] != "}") {
            name <- unquote(pieces[at + 1L])
            at <<- at + 2L
            items[length(items) + 1L] <- list(value())
            names(items)[length(items)] <- name
            if (pieces[at + 1L] == ",") at <<- at + 1L
        }
        at <<- at + 1L
        items
    }
    value()
}

unquote <- function(piece) {
    text <- substr(piece, 2L, nchar(piece) - 1L)
    if (!grepl("\\", text, fixed = TRUE)) return(text)
    places <- gregexpr("\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[0-9a-fA-F]{4}|\\\\u[0-9a-fA-F]{4}|\\\\.", text, perl = TRUE)
    regmatches(text, places) <- list(vapply(regmatches(text, places)[[1L]], function(escape) {
        kind <- substr(escape, 2L, 2L)
        if (kind != "u") return(switch(kind, n = "\n", t = "\t", r = "\r", b = "\b", f = "\f", kind))
        code <- strtoi(substr(escape, 3L, 6L), 16L)
        if (nchar(escape) == 12L) code <- 65536 + (code - 55296) * 1024 + strtoi(substr(escape, 9L, 12L), 16L) - 56320
        if (code == 0 || (code >= 55296 && code < 57344)) "?" else intToUtf8(code)
    }, ""))
    text
}

# R's form of a value: a vector if all elements have the same type.
simplify <- function(items) {
    kinds <- unique(vapply(items, function(v) if (is.null(v)) "" else if (length(v) == 1L && is.atomic(v) && is.null(attributes(v))) typeof(v) else "?", ""))
    if (!length(items) || length(kinds <- setdiff(kinds, "")) != 1L || kinds == "?") return(items)
    unlist(lapply(items, function(v) if (is.null(v)) NA else v))
}

as_r <- function(v) {
    if (!is.list(v)) return(v)
    if (is.null(names(v))) return(simplify(lapply(v, as_r)))
    type <- v[["$type"]]
    if (is.null(type)) return(lapply(v, as_r))
    items <- function() lapply(v$items, as_r)
    pairs <- function() {
        found <- lapply(v$items, function(pair) as_r(pair[[2L]]))
        names(found) <- vapply(v$items, function(pair) as.character(pair[[1L]]), "")
        found
    }
    switch(type,
        int = as.numeric(v$hex) , float = as.numeric(c(nan = "NaN", inf = "Inf", "-inf" = "-Inf")[v$text]),
        str = { text <- rawToChar(from_base64(v$base64)); Encoding(text) <- "UTF-8"; text },
        list = , tuple = , set = , frozenset = , deque = simplify(items()),
        bytes = , bytearray = if (is.null(v$text)) from_base64(v$base64) else charToRaw(v$text),
        dict = , namedtuple = , dataclass = pairs(), date = as.Date(v$text),
        datetime = as.POSIXct(sub("([+-][0-9]{2}):([0-9]{2})$", "\\1\\2", sub("Z$", "+0000", v$text)), tz = "UTC",
            tryFormats = c("%Y-%m-%dT%H:%M:%OS%z", "%Y-%m-%dT%H:%M:%OS", "%Y-%m-%d")),
        timedelta = as.difftime(v$days * 86400 + v$seconds + v$microseconds / 1e6, units = "secs"),
        complex = complex(real = as_r(v$real), imaginary = as_r(v$imag)), decimal = as.numeric(v$text),
        fraction = as_r(v$numerator) / as_r(v$denominator), enum = , scalar = as_r(v$value),
        range = if (v$start == v$stop || (v$stop > v$start) != (v$step > 0)) integer() else seq(v$start, v$stop - sign(v$step), by = v$step),
        ndarray = {
            flat <- simplify(items())
            if (length(v$shape) < 2L) flat else aperm(array(flat, rev(unlist(v$shape))))
        },
        other = v$repr, if (is.null(v$text)) v else v$text)
}

# ---- bundles ----

# Called from the global environment, where methods may be defined.
print_value <- function(x) eval(as.call(list(base::print, call("quote", x))), globalenv())

text_of <- function(x) {
    text <- tryCatch(paste(utils::capture.output(print_value(x)), collapse = "\n"),
        error = function(e) sprintf("<%s that cannot be shown>", class(x)[1L]))
    substr(text, 1L, limits$text)
}

html_escape <- function(text)
    gsub(">", "&gt;", gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)

html_of <- function(x) {
    rows <- seq_len(min(nrow(x), 60L))
    columns <- seq_len(min(ncol(x), 30L))
    part <- as.data.frame(x)[rows, columns, drop = FALSE]
    names <- html_escape(names(part))
    head <- paste0("<th></th>", paste0("<th>", names, "</th>", collapse = ""))
    cells <- vapply(part, function(column) html_escape(if (is.list(column)) vapply(column, function(v) substr(toString(v), 1L, 60L), "") else format(column)), character(length(rows)))
    dim(cells) <- c(length(rows), length(columns))
    body <- vapply(rows, function(i) paste0("<tr><th>", html_escape(rownames(part)[i]), "</th>", paste0("<td>", cells[i, ], "</td>", collapse = ""), "</tr>"), "")
    paste0("<table>\n<thead><tr>", head, "</tr></thead>\n<tbody>\n", paste(body, collapse = "\n"), "\n</tbody>\n</table>",
        sprintf("\n<p>%d rows, %d columns</p>", nrow(x), ncol(x)))
}

# A plot has no text: to print it is to draw it.
draws <- function(x) inherits(x, c("ggplot", "trellis", "recordedplot", "grob", "gtable"))

bundle_of <- function(kind, x) {
    if (draws(x)) {
        print_value(x)
        return(NULL)
    }
    data <- list("text/plain" = text_of(x))
    if ((is.data.frame(x) || is.matrix(x)) && is.null(attr(x, "spec")) && ncol(x) > 0L)
        data[["text/html"]] <- tryCatch(html_of(x), error = function(e) NULL)
    if (inherits(x, c("html", "shiny.tag", "shiny.tag.list"))) data[["text/html"]] <- paste(as.character(x), collapse = "\n")
    json <- if (is.list(x) && !is.object(x) || is.data.frame(x)) tryCatch(checked(x, limits$bundle), error = function(e) NULL)
    if (is.null(json) || grepl("\"$type\"", json, fixed = TRUE)) json <- NULL
    bundle_json(kind, data, json)
}

bundle_json <- function(kind, data, json = NULL) {
    bytes <- vapply(data, nchar, 1L, "bytes")
    large <- bytes > limits$bundle
    dropped <- sprintf("{\"mime\":%s,\"bytes\":%d,\"why\":\"larger than a result may be\"}", json_text(names(data)[large]), bytes[large])
    data <- data[!large]
    names <- c(names(data), if (!is.null(json)) "application/json")
    json_object(c("kind", "data", "metadata", "dropped"), c(json_text(kind),
        if (length(names)) json_object(names, c(vapply(data, json_text, ""), json)) else "{}", "{}",
        if (any(large)) json_array(dropped) else "[]"))
}

show_bundle <- function(bundle) {
    if (is.null(bundle) || is.null(cell)) return()
    cell$shown <- cell$shown + 1L
    if (cell$shown <= limits$bundles) send("display", cell$id, bundle)
    else if (cell$shown == limits$bundles + 1L)
        send("display", cell$id, "{\"kind\":\"display\",\"data\":{},\"metadata\":{},\"dropped\":[{\"mime\":\"*/*\",\"bytes\":0,\"why\":\"too many results in one cell\"}]}")
}

# ---- plots ----

# The device that R opens for the first plot of a cell.
open_device <- function(...) {
    state$plots <- tempfile("plots")
    dir.create(state$plots)
    page <- file.path(state$plots, "page%04d.")
    state$mime <- "image/png"
    if (capabilities("cairo")) grDevices::png(paste0(page, "png"), 672, 480, res = 96, type = "cairo")
    else if (capabilities("png")) grDevices::png(paste0(page, "png"), 672, 480, res = 96)
    else {
        state$mime <- "application/pdf"
        grDevices::pdf(paste0(page, "pdf"), onefile = FALSE, width = 7, height = 5)
    }
    state$device <- grDevices::dev.cur()
}

# Closing the device completes the last page.
show_plots <- function() {
    if (is.null(state$plots)) return()
    if (state$device %in% grDevices::dev.list()) grDevices::dev.off(state$device)
    for (page in sort(list.files(state$plots, full.names = TRUE))) {
        data <- list(base64(readBin(page, "raw", file.size(page))))
        names(data) <- state$mime
        show_bundle(bundle_json("display", data))
    }
    unlink(state$plots, recursive = TRUE)
    state$plots <- NULL
}

# ---- exceptions ----

place_of <- function(call) {
    ref <- attr(call, "srcref")
    file <- if (!is.null(ref)) attr(ref, "srcfile")$filename
    if (is.null(file) || !grepl("^cell [0-9]+$", file)) return(NULL)
    list(cell = as.integer(sub("cell ", "", file)), line = ref[1L], column = ref[5L])
}

line_of <- function(place) {
    lines <- state$cells[[sprintf("cell %d", place$cell)]]
    if (is.null(lines) || place$line > length(lines)) "" else substr(lines[place$line], 1L, 400L)
}

# The call of an error or a warning; NULL if it is one of ours.
call_of <- function(e) {
    call <- conditionCall(e)
    if (identical(call, quote(eval(parsed[[i]], globalenv())))) NULL else call
}

short <- function(call) substr(paste(deparse(call, nlines = 1L), collapse = ""), 1L, 200L)

# Our own frames are those up to the one that evaluates the cell, and those of the handler at the end.
note_error <- function(e) {
    calls <- sys.calls()
    mine <- calls[seq_along(calls) > state$depth]
    signal <- Position(function(call) is.call(call) && is.name(call[[1L]]) && as.character(call[[1L]]) %in% c(".handleSimpleError", "h"), mine)
    if (!is.na(signal)) mine <- mine[seq_len(signal - 1L)]
    places <- lapply(mine, place_of)
    known <- which(!vapply(places, is.null, NA))
    shown <- utils::tail(known, 30L)
    lines <- vapply(shown, function(i) sprintf("  at cell %d:%d: %s", places[[i]]$cell, places[[i]]$line, trimws(line_of(places[[i]]))), "")
    cell$place <- if (length(known)) places[[known[length(known)]]] else cell$top
    if (!length(lines) && !is.null(cell$top)) lines <- sprintf("  at cell %d:%d: %s", cell$top$cell, cell$top$line, trimws(line_of(cell$top)))
    cell$trace <- rev(lines)
}

exception_json <- function(type, message, place = NULL, trace = message) {
    number <- function(n) if (is.null(n)) "null" else sprintf("%d", as.integer(n))
    json_object(c("type", "message", "line", "column", "cell", "traceback"), c(json_text(type), json_text(message),
        number(place$line), number(place$column), number(place$cell), json_text(substr(paste(trace, collapse = "\n"), 1L, limits$text))))
}

error_json <- function(e) {
    message <- conditionMessage(e)
    call <- call_of(e)
    if (is.null(cell$place)) cell$place <- cell$top
    head <- if (is.null(call)) paste("Error:", message) else paste0("Error in ", short(call), " : ", message)
    trace <- c(head, cell$trace)
    cat(paste0(trace, "\n"), sep = "", file = stderr())
    exception_json(class(e)[1L], message, cell$place, trace)
}

syntax_json <- function(e) {
    message <- conditionMessage(e)
    found <- regmatches(message, regexec("^cell ([0-9]+):([0-9]+):([0-9]+): *([^\n]*)", message))[[1L]]
    place <- if (length(found)) list(cell = as.integer(found[2L]), line = as.integer(found[3L]), column = as.integer(found[4L]))
    cat("Error: ", message, "\n", sep = "", file = stderr())
    exception_json("SyntaxError", if (length(found)) found[5L] else message, place, message)
}

# A text that cannot be parsed.
unfit_json <- function(message) {
    cat("Error: ", message, "\n", sep = "", file = stderr())
    exception_json("ValueError", message)
}

# ---- cells ----

say_warning <- function(w) {
    level <- getOption("warn")
    if (level >= 2L) return()
    call <- call_of(w)
    text <- if (is.null(call)) conditionMessage(w) else paste0("In ", short(call), " : ", conditionMessage(w))
    if (level == 1L) cat("Warning: ", text, "\n", sep = "", file = stderr())
    else if (level == 0L && length(cell$warnings) < 50L) cell$warnings <- c(cell$warnings, text)
    tryInvokeRestart("muffleWarning")
}

say_warnings <- function() {
    n <- length(cell$warnings)
    if (n == 1L) cat("Warning message:\n", cell$warnings, "\n", sep = "", file = stderr())
    if (n > 1L) cat("Warning messages:\n", paste0(seq_len(n), ": ", cell$warnings, "\n"), sep = "", file = stderr())
    cell$warnings <- character()
}

run_cell <- function(parsed) {
    refs <- attr(parsed, "srcref")
    state$depth <- sys.nframe() + 5L
    for (i in seq_along(parsed)) {
        cell$top <- place_of(structure(quote(x()), srcref = refs[[i]]))
        result <- withCallingHandlers(withVisible(eval(parsed[[i]], globalenv())), error = note_error, warning = say_warning)
        last <- i == length(parsed)
        if (result$visible && !last)
            withCallingHandlers(print_value(result$value), error = note_error, warning = say_warning)
        if (last && (result$visible || state$mode == "last")) cell$value <- result$value
        if (last && result$visible)
            cell$bundle <- withCallingHandlers(bundle_of("value", result$value), error = note_error, warning = say_warning)
    }
}

# Records how the cell ended, in all cases.
try_cell <- function(text) {
    name <- sprintf("cell %.0f", cell$id)
    lines <- strsplit(gsub("\r\n", "\n", text, fixed = TRUE), "\n", fixed = TRUE)[[1L]]
    state$cells[[name]] <- lines
    if (length(state$cells) > 200L) state$cells[[1L]] <- NULL
    parsed <- tryCatch(parse(text = lines, keep.source = TRUE, srcfile = srcfilecopy(name, lines)),
        error = function(e) {
            cell$exception <- syntax_json(e)
            NULL
        })
    if (is.null(parsed)) return()
    withRestarts(
        tryCatch(run_cell(parsed),
            error = function(e) cell$exception <- error_json(e),
            interrupt = function(e) {
                cell$interrupted <- TRUE
                cell$exception <- exception_json("Interrupted", "the cell was interrupted")
            }),
        cells_exit = function(status) cell$exit <- as.integer(status),
        # Without this handler, R's own would end the session, as it ends a script.
        abort = function(...) cell$exit <- 1L,
        cells_final = function(value) cell$final <- value_text(value))
}

finish_cell <- function() {
    say_warnings()
    tryCatch(show_plots(), error = function(e) cat("The plots could not be shown: ", conditionMessage(e), "\n", sep = "", file = stderr()))
    flush(stdout())
    failed <- !is.null(cell$exception)
    ok <- !failed && (is.null(cell$exit) || cell$exit == 0L)
    or_null <- function(x) if (is.null(x)) "null" else as.character(x)
    json_object(c("ok", "value", "results", "exception", "final_answer", "is_final_answer", "exit", "interrupted"), c(
        json_flag(ok), if (ok) value_text(cell$value) else "null", json_array(if (ok) cell$bundle), or_null(cell$exception),
        or_null(cell$final), json_flag(!is.null(cell$final)), or_null(cell$exit), json_flag(cell$interrupted)))
}

enter <- function(folder) tryCatch({
    setwd(file.path(state$home, folder))
    TRUE
}, error = function(e) FALSE)

no_folder <- function(folder) sprintf("there is no folder '%s' in the workspace", folder)

exec <- function(id, bytes) {
    cell <<- new.env()
    cell$id <- id
    cell$shown <- 0L
    cell$warnings <- character()
    cell$interrupted <- FALSE
    on.exit(cell <<- NULL)
    back <- getwd()
    folder <- state$folder
    state$folder <- NULL
    on.exit(if (!is.null(folder)) try(setwd(back), TRUE), TRUE)
    restore_tools()
    open_input()
    # An interrupt that came too late for the previous cell is not for this one.
    tryCatch(Sys.sleep(0), interrupt = function(e) NULL)
    if (!is.null(folder) && !enter(folder)) cell$exception <- unfit_json(no_folder(folder))
    else if (any(bytes == 0)) cell$exception <- unfit_json("R cannot run a text with a NUL byte in it")
    else if (!validUTF8(text <- rawToChar(bytes))) cell$exception <- unfit_json("the cell is not UTF-8 text")
    else {
        Encoding(text) <- "UTF-8"
        try_cell(text)
    }
    send("done", id, suspendInterrupts(finish_cell()))
}

# ---- what the session adds ----

added <- attach(NULL, name = "glovebox")

patch <- function(name, value) {
    base <- .BaseNamespaceEnv
    get("unlockBinding", base)(name, base)
    assign(name, value, base)
    lockBinding(name, base)
}

quit_cell <- function(save = "default", status = 0, runLast = TRUE) {
    if (is.null(cell)) leave()
    invokeRestart("cells_exit", status)
}

# The cell must not close the frames' connections, nor its input.
patch("closeAllConnections", function() {
    if (sink.number(type = "message") > 0L) sink(stderr(), type = "message")
    while (sink.number() > 0L) sink()
    gc()
    ours <- vapply(list(cells_in, cells_out, state$input), as.integer, 1L)
    for (number in setdiff(getAllConnections(), c(0:2, ours))) close(getConnection(number))
    invisible()
})

added$display <- function(...) {
    for (x in list(...)) show_bundle(bundle_of("display", x))
    invisible()
}

# Children do not inherit the frames' descriptors. A shell can name those below ten.
own_descriptors <- function() {
    links <- file.path("/proc/self/fd", 3:9)
    targets <- Sys.readlink(links)
    mine <- targets %in% Sys.readlink(c("/proc/self/fd/3", "/proc/self/fd/4")) & nzchar(targets)
    paste0("exec ", paste0((3:9)[mine], "<&-", collapse = " "), "; ")
}

closing <- own_descriptors()
local({
    system_was <- base::system
    system2_was <- base::system2
    pipe_was <- base::pipe
    patch("system", function(command, ...) system_was(paste0(closing, command), ...))
    patch("system2", function(command, args = character(), stdout = "", stderr = "", stdin = "", input = NULL, env = character(), ...)
        system2_was(command, args, stdout, stderr, stdin, input, c(closing, env), ...))
    patch("pipe", function(description, ...) pipe_was(paste0(closing, description), ...))
})
patch("quit", quit_cell)
patch("q", quit_cell)

# Standard input is a separate file for each cell.
open_input <- function() {
    if (!is.null(state$input)) {
        if (is.null(state$stdin) && state$now == "/dev/null") return()
        try(close(state$input), TRUE)
    }
    if (is.null(state$stdin)) path <- "/dev/null"
    else {
        path <- state$input_path <- tempfile("input")
        writeBin(state$stdin, path)
    }
    state$now <- path
    state$stdin <- NULL
    state$input <- base::file(path, "r")
}

is_input <- function(con) inherits(con, "connection") && as.integer(con) == 0L
added$stdin <- function() state$input
added$file <- function(description = "", ...)
    base::file(if (identical(description, "stdin")) state$now else description, ...)
added$readline <- function(prompt = "") {
    cat(prompt)
    line <- base::readLines(state$input, 1L)
    if (length(line)) line else ""
}
added$readLines <- function(con = state$input, ...)
    base::readLines(if (is_input(con) || identical(con, "stdin")) state$input else con, ...)
added$scan <- function(file = "", ..., text) {
    if (!missing(text)) base::scan(file, ..., text = text)
    else base::scan(if (identical(file, "") || identical(file, "stdin") || is_input(file)) state$input else file, ...)
}

# The arguments come as a list: the name of one may be that of a parameter, or its beginning.
call_tool <- function(name, args) {
    named <- if (is.null(names(args))) rep(FALSE, length(args)) else nzchar(names(args))
    texts <- vapply(args, function(v) paste(json_of(v), collapse = ""), "")
    body <- json_object(c("name", "args", "kwargs"), c(json_text(name), json_array(texts[!named]),
        if (any(named)) json_object(names(args)[named], texts[named]) else "{}"))
    if (nchar(body, "bytes") > limits$call) stop("the arguments are larger than a call may be", call. = FALSE)
    state$calls <- state$calls + 1L
    send("call", state$calls, body)
    # An interrupt waits until the answer is read; otherwise the next frame would begin in the middle of it.
    repeat {
        frame <- suspendInterrupts(next_frame())
        if (frame$kind == "answer" && frame$id == state$calls) break
    }
    answer <- from_json(rawToChar(frame$bytes))
    if (is.null(answer$error)) return(as_r(answer$ok))
    stop(structure(class = c(as.character(answer$error$type), "error", "condition"), list(message = answer$error$message, call = call(name))))
}

# Names of the session. A value of such a name does not hide the function; another function does.
kept <- list()

restore_tools <- function() {
    for (name in names(kept)) {
        if (exists(name, globalenv(), mode = "function", inherits = FALSE)) rm(list = name, envir = globalenv())
        added[[name]] <- kept[[name]]
    }
}

add_tool <- function(tool) {
    name <- tool$name
    kept[[name]] <<- function(...) call_tool(name, list(...))
}

change_tools <- function(id, bytes) {
    change <- from_json(rawToChar(bytes))
    for (tool in change$add) add_tool(tool)
    for (name in unlist(change$remove)) {
        kept[[name]] <<- NULL
        if (exists(name, added, inherits = FALSE)) rm(list = name, envir = added)
    }
    restore_tools()
    send("done", id, "{\"ok\":true,\"exception\":null}")
}

take_text <- function(bytes) {
    text <- rawToChar(bytes)
    Encoding(text) <- "UTF-8"
    text
}

hello <- function(id, bytes) {
    said <- from_json(rawToChar(bytes))
    limits <<- utils::modifyList(limits, as.list(said$limits))
    state$mode <- said$value
    if (length(said$env)) do.call(Sys.setenv, said$env)
    for (tool in said$tools) add_tool(tool)
    if (isTRUE(said$final_answer)) kept$final_answer <<- function(value) invokeRestart("cells_final", value)
    restore_tools()
    for (name in unlist(said$preload)) suppressPackageStartupMessages(library(name, character.only = TRUE))
    options(device = open_device, keep.source = TRUE)
    # Loads in advance the code for which the first cell would have to wait.
    open_input()
    text_of(1)
    failed <- if (length(said$folder) && nzchar(said$folder) && !enter(said$folder))
        sprintf(",\"exception\":%s", exception_json("Error", no_folder(said$folder))) else ""
    send("ready", 0, sprintf("{\"language\":\"r\",\"version\":%s%s}",
        json_text(paste(R.version$major, R.version$minor, sep = ".")), failed))
}

set <- function(id, bytes) {
    answer <- tryCatch({
        values <- from_json(rawToChar(bytes))
        taken <- intersect(names(values), names(kept))
        if (length(taken)) stop(sprintf("'%s' is the name of a tool in this session", taken[1L]))
        for (i in seq_along(values)) assign(names(values)[i], as_r(values[[i]]), globalenv())
        "{\"ok\":true,\"exception\":null}"
    }, error = function(e) json_object(c("ok", "exception"), c("false", exception_json("ValueError", conditionMessage(e)))))
    send("done", id, answer)
}

get_values <- function(id, bytes) {
    values <- failed <- list()
    missing <- character()
    wanted <- from_json(rawToChar(bytes))
    like <- if (is.null(wanted$prefix)) character() else names_like(wanted$prefix)
    for (name in unlist(wanted$names)) {
        if (!exists(name, globalenv(), inherits = FALSE)) missing <- c(missing, name)
        else tryCatch(values[[name]] <- checked(get(name, globalenv()), limits$value),
            error = function(e) failed[[name]] <<- json_text(conditionMessage(e)))
    }
    object <- function(x) if (length(x)) json_object(names(x), unlist(x)) else "{}"
    rows <- if (isTRUE(wanted$list)) tryCatch(list_variables(), interrupt = function(e) character()) else character()
    send("done", id, json_object(c("ok", "values", "missing", "failed", "names", "variables"),
        c("true", object(values), json_array(if (length(missing)) json_text(missing)), object(failed),
            json_array(if (length(like)) json_text(like)), json_array(rows))))
}

# One line of text; methods of the program's own classes may do anything.
short_value <- function(x) {
    if (is.function(x)) return(sprintf("function(%s)", paste(names(formals(x)), collapse = ", ")))
    if (is.data.frame(x)) return(sprintf("%d rows, %d columns", nrow(x), ncol(x)))
    n <- length(unclass(x))
    if (!is.atomic(x)) return(sprintf("%d item%s", n, if (n == 1L) "" else "s"))
    text <- paste(format(utils::head(unclass(x), 10L), trim = TRUE), collapse = " ")
    if (n > 10L) text <- sprintf("%s ... (%d)", substr(text, 1L, 60L), n)
    if (nchar(text) > 80L) paste0(substr(text, 1L, 77L), "...") else text
}

list_variables <- function() {
    names <- utils::head(setdiff(ls(globalenv()), names(kept)), 1000L)
    vapply(names, function(name) {
        row <- function(type, value) json_object(c("name", "type", "value"), json_text(c(name, type, value)))
        if (bindingIsActive(as.name(name), globalenv())) return(row("active binding", ""))
        tryCatch({
            x <- get(name, globalenv())
            row(class(x)[1L], short_value(x))
        }, error = function(e) row("unknown", ""))
    }, "", USE.NAMES = FALSE)
}

# For completion: a dot is a part of a name.
names_like <- function(prefix) tryCatch({
    all <- c(ls(globalenv()), unlist(lapply(search()[-1L], function(place) ls(place))))
    found <- sort(unique(all[startsWith(all, prefix)]))
    utils::head(found[grepl("^[[:alpha:]][[:alnum:]._]*$", found)], 1000L)
}, error = function(e) character())

# ---- the loop ----

act <- function() {
    frame <- next_frame()
    switch(frame$kind,
        hello = hello(frame$id, frame$bytes),
        tools = change_tools(frame$id, frame$bytes),
        exec = exec(frame$id, frame$bytes),
        stdin = state$stdin <- frame$bytes,
        folder = state$folder <- take_text(frame$bytes),
        set = set(frame$id, frame$bytes),
        get = get_values(frame$id, frame$bytes))
}

repeat tryCatch(act(), interrupt = function(e) NULL)
