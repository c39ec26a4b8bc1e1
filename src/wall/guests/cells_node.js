// SPDX-License-Identifier: Apache-2.0
// A session in Node: cells come as frames on descriptor 3, and their results go out on 4
// (src/backends/backends/cell_wire.h). A cell is evaluated as a developer console does it (the inspector's
// "replMode"), so declarations last, may be repeated, and `await` is valid at the top level; its text stays
// unchanged, with its lines and columns. V8 accepts a repeated declaration only of the same kind. For another
// kind the session changes what it can (a constant that was a variable stays one), but not a former
// constant, and not functions and classes. Frames are read from the event loop, which runs
// between cells, so timers continue.
(() => {
    "use strict";
    // A cell may declare something by one of these names.
    const { Array, ArrayBuffer, Atomics, BigInt, Boolean, Buffer, Date, Error, Int32Array, JSON, Map, Math, Number, Object,
        Promise, RangeError, ReferenceError, Set, SharedArrayBuffer, String, Symbol, SyntaxError, TypeError, Uint8Array,
        clearTimeout, process, require, setImmediate, setTimeout } = globalThis;
    const fs = require("fs"), vm = require("vm"), util = require("util");
    const { Session } = require("inspector");
    const HOLD = Symbol.for("glovebox.cells"), TICK = new Int32Array(new SharedArrayBuffer(4));
    const MAX_DEPTH = 150, MAX_PARTS = 200000, MAX_REPR = 2000;
    const leave = process.reallyExit.bind(process), { parse, stringify } = JSON;
    const hold = {};
    let limits = { value: 1 << 20, bundle: 4 << 20, bundles: 64, text: 100000, call: 4 << 20 };
    let running = null, exported = "", calls = 0, input = null, folder = null, cells = new Map(), told = [];

    // ---- frames ----

    // Opened again by path, they are closed in children, and only we have them.
    const reopen = (fd, flags) => {
        try {
            const own = fs.openSync("/proc/self/fd/" + fd, flags);
            fs.closeSync(fd);
            return own;
        } catch {
            return fd;
        }
    };
    const source = reopen(3, "r"), target = reopen(4, "w");

    function send(kind, id, value) {
        const body = Buffer.from(typeof value === "string" ? value : stringify(value));
        const bytes = Buffer.concat([Buffer.from(`${kind} ${id} ${body.length}\n`), body]);
        for (let at = 0; at < bytes.length;) {
            try {
                at += fs.writeSync(target, bytes, at);
            } catch (e) {
                if (e.code === "EPIPE") leave(0);
                if (e.code !== "EAGAIN") throw e;
                Atomics.wait(TICK, 0, 0, 1);
            }
        }
    }

    const queue = [];
    let pieces = [], have = 0, need = null;

    function join() {
        if (pieces.length > 1) pieces = [Buffer.concat(pieces)];
        return pieces[0] || Buffer.alloc(0);
    }

    // Assembles frames; a long one is joined once.
    function feed(chunk) {
        pieces.push(chunk);
        have += chunk.length;
        for (;;) {
            if (!need) {
                const bytes = join(), end = bytes.indexOf(10);
                if (end < 0) return;
                const [kind, id, length] = bytes.toString("latin1", 0, end).split(" ");
                need = { kind, id: Number(id), length: Number(length) };
                pieces = [bytes.subarray(end + 1)];
                have -= end + 1;
            }
            if (have < need.length) return;
            const bytes = join();
            need.bytes = bytes.subarray(0, need.length);
            pieces = [bytes.subarray(need.length)];
            have -= need.length;
            queue.push(need);
            need = null;
        }
    }

    // A tool's answer; everything else stops until it comes. The descriptor does not block
    // (the event loop reads it too), so that an interrupt gets through.
    function answerTo(id) {
        const chunk = Buffer.alloc(65536);
        for (let pause = 0.05; ;) {
            const at = queue.findIndex((f) => f.kind === "answer" && f.id === id);
            if (at >= 0) return decode(queue.splice(at, 1)[0].bytes.toString());
            let n = -1;
            try {
                n = fs.readSync(source, chunk);
            } catch (e) {
                if (e.code !== "EAGAIN") throw e;
            }
            if (n === 0) leave(0);
            if (n > 0) feed(Buffer.from(chunk.subarray(0, n)));
            else Atomics.wait(TICK, 0, 0, (pause = Math.min(pause * 1.3, 5)));
        }
    }

    // ---- values ----

    class TooMuch extends Error { }

    const isPlain = (v) => {
        const proto = Object.getPrototypeOf(v);
        return proto === null || proto === Object.prototype;
    };
    const DTYPES = {
        Int8Array: "int8", Uint8ClampedArray: "uint8", Int16Array: "int16", Uint16Array: "uint16", Int32Array: "int32",
        Uint32Array: "uint32", Float32Array: "float32", Float64Array: "float64", BigInt64Array: "int64",
        BigUint64Array: "uint64",
    };

    function numberText(v) {
        if (Number.isNaN(v)) return '{"$type":"float","text":"nan"}';
        if (!Number.isFinite(v)) return `{"$type":"float","text":"${v < 0 ? "-inf" : "inf"}"}`;
        if (Object.is(v, -0)) return "-0.0";
        return Number.isInteger(v) && !Number.isSafeInteger(v) ? v.toExponential() : String(v);
    }

    function bigText(v) {
        if (v > -(1n << 62n) && v < 1n << 62n) return String(v);
        return `{"$type":"int","hex":"${v < 0n ? "-" : ""}0x${(v < 0n ? -v : v).toString(16)}"}`;
    }

    // A lone surrogate has no UTF-8.
    function stringText(v) {
        if (!/\p{Surrogate}/u.test(v)) return stringify(v);
        const bytes = [];
        for (const c of v) {
            const n = c.codePointAt(0);
            if (n >= 0xd800 && n < 0xe000) bytes.push(0xed, 0x80 | ((n >> 6) & 63), 0x80 | (n & 63));
            else bytes.push(...Buffer.from(c));
        }
        return `{"$type":"str","base64":"${Buffer.from(bytes).toString("base64")}"}`;
    }

    function nameOf(v) {
        try {
            return String(v.constructor.name || "Object");
        } catch {
            return "Object";
        }
    }

    function show(v, most) {
        let text;
        try {
            text = util.inspect(v, { depth: 3 });
        } catch (e) {
            text = `<${nameOf(v)} that cannot be shown>`;
        }
        return text.length > most ? text.slice(0, most) : text;
    }

    const otherText = (v) => `{"$type":"other","class":${stringText(nameOf(v))},"repr":${stringText(show(v, MAX_REPR))}}`;

    // The form of a value that is too large for one: what it is, and why it is not here.
    function absentText(v, why) {
        const length = typeof v === "string" || Array.isArray(v) ? ` of length ${v.length}` : "", name = nameOf(v);
        const text = `<${name}${length} that stayed in the sandbox: ${why} (a value that comes back has at most ${limits.value >> 10} KiB)>`;
        return `{"$type":"other","class":${stringText(name)},"repr":${stringText(text)}}`;
    }

    function encode(value, room) {
        const out = [], path = [];
        let parts = 0, left = room;
        const put = (text) => {
            left -= text.length;
            if (left < 0) throw new TooMuch("the value is larger than a result may be");
            out.push(text);
        };
        const list = (items) => {
            put("[");
            let first = true;
            for (const item of items) {
                if (!first) put(",");
                first = false;
                any(item);
            }
            put("]");
        };
        const octets = (v) => put(`{"$type":"bytes","base64":"${Buffer.from(v).toString("base64")}"}`);
        const other = (v) => put(otherText(v));
        const typed = (name, items) => {
            put(`{"$type":"${name}","items":`);
            list(items);
            put("}");
        };
        const record = (v) => {
            const keys = Object.keys(v);
            if (keys.includes("$type")) {
                typed("dict", Object.entries(v));
                return;
            }
            put("{");
            keys.forEach((key, i) => {
                put((i ? "," : "") + stringify(key.toWellFormed ? key.toWellFormed() : key) + ":");
                any(v[key]);
            });
            put("}");
        };
        const object = (v) => {
            const dtype = ArrayBuffer.isView(v) && DTYPES[nameOf(v)];
            if (Array.isArray(v)) list(v);
            else if (v instanceof Date) {
                if (Number.isNaN(v.getTime())) put("null");
                else put(`{"$type":"datetime","text":"${v.toISOString().replace("Z", "+00:00")}"}`);
            } else if (v instanceof Map) typed("dict", v.entries());
            else if (v instanceof Set) typed("set", v);
            else if (v instanceof Uint8Array) octets(v);
            else if (v instanceof ArrayBuffer) octets(new Uint8Array(v));
            else if (dtype) {
                put(`{"$type":"ndarray","class":"${dtype}","shape":[${v.length}],"items":`);
                list(v);
                put("}");
            } else if (v instanceof Number || v instanceof String || v instanceof Boolean) any(v.valueOf());
            else if (isPlain(v)) record(v);
            else other(v);
        };
        const any = (v) => {
            if (++parts > MAX_PARTS) throw new TooMuch(`the value has more than ${MAX_PARTS} parts`);
            if (v === null || v === undefined) put("null");
            else if (typeof v === "boolean") put(String(v));
            else if (typeof v === "number") put(numberText(v));
            else if (typeof v === "bigint") put(bigText(v));
            else if (typeof v === "string") put(stringText(v));
            else if (typeof v !== "object" || util.types.isProxy(v)) other(v);
            else {
                if (path.includes(v)) throw new Error("the value contains itself");
                if (path.length === MAX_DEPTH) throw new TooMuch(`the value is nested more than ${MAX_DEPTH} levels deep`);
                path.push(v);
                object(v);
                path.pop();
            }
        };
        any(value);
        return out.join("");
    }

    // A result's value: a value that is too large is replaced by a description.
    function encodeValue(v) {
        try {
            return encode(v, limits.value);
        } catch (e) {
            return e instanceof TooMuch ? absentText(v, e.message) : otherText(v);
        }
    }

    const fold = (items, shape) => shape.length < 2 ? items : Array.from({ length: shape[0] }, (_, i) => {
        const step = items.length / shape[0];
        return fold(items.slice(i * step, (i + 1) * step), shape.slice(1));
    });
    const whole = (n) => n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
    const octetsOf = (d) => "text" in d ? Buffer.from(d.text) : Buffer.from(d.base64, "base64");

    function arrayOf(d) {
        const name = Object.keys(DTYPES).find((k) => DTYPES[k] === d.class && k !== "Uint8ClampedArray");
        const one = !d.shape || d.shape.length === 1, big = d.class === "int64" || d.class === "uint64";
        if (!one) return fold(d.items, d.shape);
        if (d.class === "uint8") return Uint8Array.from(d.items);
        return name && !big ? globalThis[name].from(d.items) : d.items;
    }

    function rangeOf(d) {
        const out = [];
        for (let i = d.start; d.step > 0 ? i < d.stop : i > d.stop; i += d.step)
            if (out.push(i) >= MAX_PARTS) break;
        return out;
    }

    const READ = {
        int: (d) => whole(d.hex[0] === "-" ? -BigInt(d.hex.slice(1)) : BigInt(d.hex)),
        float: (d) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[d.text] ?? Number(d.text),
        str: (d) => Buffer.from(d.base64, "base64").toString(), range: rangeOf, ndarray: arrayOf,
        list: (d) => d.items, tuple: (d) => d.items, deque: (d) => d.items,
        set: (d) => new Set(d.items), frozenset: (d) => new Set(d.items), dict: (d) => new Map(d.items),
        bytes: octetsOf, bytearray: octetsOf, date: (d) => new Date(d.text), datetime: (d) => new Date(d.text),
        fraction: (d) => Number(d.numerator) / Number(d.denominator ?? 1), enum: (d) => d.value, scalar: (d) => d.value,
        namedtuple: (d) => Object.fromEntries(d.items), dataclass: (d) => Object.fromEntries(d.items),
        decimal: (d) => d.text, path: (d) => d.text, time: (d) => d.text, other: (d) => d.repr,
    };
    const decode = (text) => parse(text, (_, v) => {
        if (v === null || typeof v !== "object" || !Object.hasOwn(v, "$type")) return v;
        const read = Object.hasOwn(READ, v.$type) && READ[v.$type];
        return read ? read(v) : v;
    });

    // ---- bundles ----

    function jsonOf(v) {
        if (!Array.isArray(v) && !isPlain(v)) return undefined;
        try {
            const text = encode(v, limits.bundle);
            return text.includes('"$type"') ? undefined : parse(text);
        } catch {
            return undefined;
        }
    }

    function pictureOf(v) {
        if (!(v instanceof Uint8Array)) return undefined;
        const head = Buffer.from(v.subarray(0, 4)).toString("latin1");
        const mime = { "\x89PNG": "image/png", "%PDF": "application/pdf" }[head]
            || (head.startsWith("\xff\xd8\xff") && "image/jpeg");
        return mime && [mime, Buffer.from(v).toString("base64")];
    }

    // The object's own representations: Deno's and IJavascript's ways, and Python's names.
    function own(v, data) {
        const bundle = v[Symbol.for("Jupyter.display")];
        if (typeof bundle === "function") Object.assign(data, bundle.call(v));
        for (const [mime, names] of [["text/html", ["toHTML", "toHtml", "_toHtml", "_repr_html_"]],
            ["image/svg+xml", ["toSVG", "_toSvg", "_repr_svg_"]], ["text/markdown", ["toMarkdown", "_repr_markdown_"]]])
            for (const name of names)
                if (typeof v[name] === "function" && !(mime in data)) data[mime] = String(v[name]());
    }

    function bundleOf(kind, v) {
        const data = { "text/plain": show(v, limits.text) }, dropped = [];
        if (v !== null && (typeof v === "object" || typeof v === "function") && !util.types.isProxy(v)) {
            const json = typeof v === "object" ? jsonOf(v) : undefined, picture = pictureOf(v);
            if (json !== undefined) data["application/json"] = json;
            if (picture) data[picture[0]] = picture[1];
            try {
                own(v, data);
            } catch (e) {
                dropped.push({ mime: "text/html", bytes: 0, why: `it could not be shown: ${show(e, 200)}` });
            }
        }
        for (const mime of Object.keys(data)) {
            const bytes = Buffer.byteLength(stringify(data[mime]) ?? "null");
            if (bytes <= limits.bundle) continue;
            dropped.push({ mime, bytes, why: "larger than a result may be" });
            delete data[mime];
        }
        return { kind, data, metadata: {}, dropped };
    }

    function display(...values) {
        for (const v of values) {
            if (!running) break;
            running.shown++;
            if (running.shown <= limits.bundles) send("display", running.id, bundleOf("display", v));
            else if (running.shown === limits.bundles + 1)
                send("display", running.id, { kind: "display", data: {}, metadata: {}, dropped: [{ mime: "*/*", bytes: 0, why: "too many results in one cell" }] });
        }
    }

    // ---- exceptions ----

    // Only frames of cells and of modules that they load: not our own, nor those between us and them.
    function framesOf(stack) {
        const kept = [];
        for (const line of stack.split("\n")) {
            if (/glovebox-cells|node:inspector|glovebox-turn/.test(line)) break;
            if (!/^ +at .*\(?node:internal\/(process|modules\/esm|timers)/.test(line)) kept.push(line);
        }
        return kept.join("\n");
    }

    const OURS = /^(?:glovebox-cells|glovebox-turn|node:inspector)/;
    const scriptOf = (frame) => frame.getScriptNameOrSourceURL() ?? "";

    // The stack that cells see ends where we called them, and has none of our functions in it.
    Error.prepareStackTrace = (e, frames) => {
        const last = frames.findLastIndex((frame) => /^cell-\d+$/.test(scriptOf(frame)));
        const end = frames.findIndex((frame, i) => i > last && OURS.test(scriptOf(frame)));
        const kept = frames.slice(0, end < 0 ? frames.length : end).filter((frame) => !OURS.test(scriptOf(frame)));
        let head = "Error";
        try {
            head = Error.prototype.toString.call(e);
        } catch { /* it has a name or a message that cannot be read */ }
        return head + kept.map((frame) => `\n    at ${frame}`).join("");
    };

    const named = (text) => text.replace(/\bcell-(\d+)(?=:\d)/g, "cell $1");

    function placeOf(e, stack, details) {
        const found = /\bcell-(\d+):(\d+):(\d+)/.exec(stack.replace(/^(?! +at ).*\n/gm, ""));
        if (found) return found.slice(1).map(Number);
        if (!(e instanceof SyntaxError) || !details || !running || details.stackTrace) return null;
        const lines = cells.get(running.id), last = lines.findLastIndex((text) => text.trim());
        // If the end of the text is missing, the error is in a line of ours.
        if (details.lineNumber >= lines.length && last >= 0) return [running.id, last + 1, lines[last].trimEnd().length + 1];
        return [running.id, details.lineNumber + 1, details.columnNumber + 1];
    }

    function exceptionOf(e, details) {
        const isError = e instanceof Error || util.types.isNativeError(e);
        let stack = isError ? framesOf(String(e.stack)) : `Uncaught ${show(e, MAX_REPR)}`;
        const place = placeOf(e, isError ? String(e.stack) : "", details);
        const line = place && (cells.get(place[0]) || [])[place[1] - 1];
        if (place) {
            const column = Math.max(place[2] - 1, 0);
            const shown = line === undefined ? "" : column < 200 ? `${line.slice(0, 400)}\n${" ".repeat(column)}^\n\n` : `${line.slice(0, 400)}\n\n`;
            stack = `cell ${place[0]}:${place[1]}:${place[2]}\n${shown}${stack}`;
        }
        if (isError && e.cause !== undefined) stack += `\n[cause]: ${show(e.cause, MAX_REPR)}`;
        return {
            type: isError ? String(e.name) : typeof e === "object" && e ? nameOf(e) : typeof e,
            message: isError ? String(e.message) : show(e, MAX_REPR),
            line: place && place[1], column: place && place[2], cell: place && place[0],
            traceback: named(stack).slice(0, limits.text),
        };
    }

    function safeException(e, details) {
        try {
            return exceptionOf(e, details);
        } catch {
            return { type: "Error", message: "an error that cannot be shown", line: null, column: null, cell: null, traceback: "" };
        }
    }

    // ---- cells ----

    const inspector = new Session();
    inspector.connect();

    // Evaluates without awaiting; the answer is there at the return.
    function ask(method, params) {
        let result;
        inspector.post(method, params, (error, answer) => {
            if (error) throw new Error(error.message);
            result = answer;
        });
        return result;
    }

    Object.defineProperty(globalThis, HOLD, { value: hold });
    const holdId = ask("Runtime.evaluate", { expression: 'globalThis[Symbol.for("glovebox.cells")]' }).result.objectId;

    // The object itself, for which the inspector has a number.
    function fetch(remote) {
        if (remote.type === "undefined") return undefined;
        const argument = remote.objectId ? { objectId: remote.objectId }
            : remote.unserializableValue ? { unserializableValue: remote.unserializableValue } : { value: remote.value };
        hold.taken = undefined;
        ask("Runtime.callFunctionOn", { objectId: holdId, functionDeclaration: "function(v){this.taken=v}", arguments: [argument], objectGroup: "cell" });
        const { taken } = hold;
        hold.taken = undefined;
        return taken;
    }

    // The interrupt can stop this: V8 stops even a busy loop. Continuations that are due at once
    // run in here as well.
    const turn = new vm.Script('globalThis[Symbol.for("glovebox.cells")].turn()', { filename: "glovebox-turn" });

    function watched(work, ticks = true) {
        if (Atomics.compareExchange(state, 2, 0, 1) === 2) {
            work();
            return;
        }
        hold.turn = () => {
            delete process.listenerCount;
            if (isDue()) {
                interrupted();
                return;
            }
            work();
            if (ticks) process._tickCallback?.();
        };
        // Otherwise Node would give up the signal's listeners meanwhile, and the signal would kill us.
        if (guard) process.listenerCount = () => 0;
        try {
            turn.runInThisContext({ breakOnSigint: true });
        } finally {
            delete process.listenerCount;
            Atomics.store(state, 2, 0);
            Atomics.notify(state, 2);
        }
    }

    const settle = (outcome) => running && !running.outcome && running.finish((running.outcome = outcome));

    class Leave extends Error { }

    function exit(code = process.exitCode) {
        const n = Number(code ?? 0) & 255;
        if (!running) told.push(`process.exit(${n}) was called between cells; the session goes on\n`);
        settle({ exit: n });
        throw new Leave(`process.exit(${n})`);
    }

    function finalAnswer(value) {
        if (running && !running.final) running.final = { text: encodeValue(value) };
        settle({});
        throw new Leave("final_answer");
    }

    function interrupted() {
        settle(interruption());
    }

    function interruption() {
        const e = new Error("the cell was interrupted");
        e.name = "Interrupted";
        e.stack = "Interrupted: the cell was interrupted";
        return { exception: safeException(e), interrupted: true };
    }

    // A cell with its own listener handles it. A listener for exceptions receives rejections, too, as in a script.
    function late(event, e) {
        if (e instanceof Leave || process.listeners(event).some((heard) => heard !== LATE[event])) return;
        const others = process.listeners("uncaughtException").filter((heard) => heard !== LATE.uncaughtException);
        for (const heard of others) heard.call(process, e, event);
        if (others.length) return;
        const { traceback } = safeException(e);
        if (running) fs.writeSync(2, `Uncaught ${traceback}\n`);
        else if (told.length < 20) told.push(`Since the last cell: uncaught ${traceback}\n`);
    }

    const LATE = {
        uncaughtException: (e) => late("uncaughtException", e),
        unhandledRejection: (e) => late("unhandledRejection", e),
    };

    // `{a: 1}` is an object here, as in Node's own console.
    function maybeObject(code) {
        if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return code;
        try {
            new vm.Script(`(${code}\n)`);
            return `(${code}\n)`;
        } catch {
            return code;
        }
    }

    const INSTEAD = { const: ["let  ", "var  "], let: ["var"], var: ["let"] };

    // The text, with a declaration of that name at the top level changed into one that V8 may accept again.
    function* redeclared(code, name) {
        const places = [], escaped = name.replaceAll("$", "\\$");
        const mention = new RegExp(`^[^;]*?(?<![\\p{ID_Continue}$.])${escaped}(?![\\p{ID_Continue}$])`, "u");
        rewrite(code, (kind, at, top) => {
            if (top && Object.hasOwn(INSTEAD, kind)) places.push([at, kind]);
            return null;
        });
        for (const [i, [at, kind]] of places.entries())
            if (mention.test(code.slice(at, places[i + 1]?.[0])))
                for (const other of INSTEAD[kind]) yield code.slice(0, at) + other + code.slice(at + kind.length);
    }

    // Another text for a cell that V8 has refused because of an existing name, before any of it ran. With an await in
    // it the error has a stack, as one of an eval() at the cell's very beginning would have.
    function another(details, e) {
        if (!(e instanceof SyntaxError) || !running) return undefined;
        try {
            const name = /^Identifier '(.+)' has already been declared$/.exec(e.message)?.[1];
            const ran = details.stackTrace ? !/^.*\n +at cell-\d+:1:1(?:\n|$)/.test(e.stack) || /\beval\b/.test(running.text)
                : details.lineNumber || details.columnNumber;
            if (!name || ran || running.texts++ > 20) return undefined;
            if (running.refused?.name !== name) running.refused = { name, others: redeclared(running.text, name) };
            return running.refused.others.next().value;
        } catch {
            return undefined; // an error that cannot be inspected is the cell's own
        }
    }

    function take(error, answer) {
        if (error && /was terminated/.test(error.message)) {
            interrupted();
            return;
        }
        if (error) {
            settle({ exception: safeException(new Error(error.message)) });
            return;
        }
        const { exceptionDetails: details, result } = answer;
        if (!details) {
            settle({ value: fetch(result) });
            return;
        }
        const e = fetch(details.exception || { type: "undefined" });
        const text = another(details, e), cell = running;
        if (text !== undefined) setImmediate(() => cell.outcome || (isDue() ? interrupted() : begin(text)));
        else if (!(e instanceof Leave)) settle({ exception: safeException(e, details) });
        else settle({});
    }

    function begin(code) {
        running.text = code;
        const expression = `${code}\n//# sourceURL=cell-${running.id}`;
        try {
            watched(() => inspector.post("Runtime.evaluate", { expression, replMode: true, objectGroup: "cell" }, take));
        } catch (e) {
            if (e.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") interrupted();
            else settle({ exception: safeException(e) });
        }
    }

    function flushed(stream) {
        return new Promise((done) => stream.writableLength ? stream.write("", done) : done());
    }

    function answerCell(cell) {
        const { value, exception = null, exit = null, interrupted = false } = cell.outcome;
        const results = value === undefined || exception ? [] : [bundleOf("value", value)];
        const text = cell.final ? cell.final.text : "null";
        const ok = !exception && !exit;
        return `{"ok":${ok},"value":${encodeValue(value)},"results":${stringify(results)},` +
            `"exception":${stringify(exception)},"final_answer":${text},"is_final_answer":${!!cell.final},` +
            `"exit":${stringify(exit)},"interrupted":${interrupted}}`;
    }

    const home = process.cwd();

    function enter(name) {
        try {
            process.chdir(`${home}/${name}`);
        } catch {
            throw new Error(`there is no folder '${name}' in the workspace`);
        }
    }

    function goBack(to) {
        try {
            if (to !== null) process.chdir(to);
        } catch { } // the cell has removed it
    }

    // True if the cell cannot run, and is answered.
    function isNowhere(id, name) {
        try {
            if (name !== null) enter(name);
            return false;
        } catch (e) {
            const exception = { ...safeException(e), traceback: `Error: ${e.message}`, line: null, column: null, cell: null };
            fs.writeSync(2, `${exception.traceback}\n`);
            send("done", id, answerCell({ outcome: { exception }, final: null }));
            return true;
        }
    }

    async function exec(id, bytes) {
        const code = bytes.toString(), name = folder, back = folder === null ? null : process.cwd();
        folder = null;
        if (isNowhere(id, name)) return;
        clearTimeout(forget);
        cells.set(id, code.split(/\r\n|[\n\r\u2028\u2029]/));
        if (cells.size > 200) cells.delete(cells.keys().next().value);
        for (const text of told.splice(0)) fs.writeSync(2, text);
        openInput();
        running = { id, shown: 0, final: null, outcome: null, texts: 0 };
        // Not in the cell's own turn, because an interrupt might end it in the middle of this.
        const over = new Promise((finish) => (running.finish = () => setImmediate(finish)));
        // In a separate turn, all of which the watcher may stop.
        const started = running;
        setImmediate(() => started.outcome || (isDue() ? interrupted() : begin(maybeObject(modules(code)))));
        const wait = setTimeout(watch, 50), look = setInterval(() => isDue() && interrupted(), 20);
        await over;
        clearTimeout(wait);
        clearInterval(look);
        if (running.outcome.exception) fs.writeSync(2, `${running.outcome.exception.traceback}\n`);
        await flushed(process.stdout);
        await flushed(process.stderr);
        const cell = running;
        let answer;
        try {
            watched(() => (answer = answerCell(cell)), false);
        } catch (e) {
            cell.outcome = e?.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED" ? interruption() : { exception: safeException(e) };
        }
        if (!answer && !cell.outcome.exception) cell.outcome = interruption();
        if (kept.size) await restore(code);
        answer ??= answerCell(cell);
        running = null;
        goBack(back);
        ask("Runtime.releaseObjectGroup", { objectGroup: "cell" });
        send("done", id, answer);
        // The host drops an interrupt that comes too late before it sends the next cell.
        forget = setTimeout(isDue, 40).unref();
    }

    // ---- import and export, which are for modules ----

    const WORD = /[\p{ID_Continue}$]/u;
    // After these a slash begins a regular expression.
    const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%^~<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield))$/;

    function skipQuoted(code, at) {
        const quote = code[at];
        for (at++; at < code.length && code[at] !== quote && code[at] !== "\n"; at++)
            if (code[at] === "\\") at++;
        return at + 1;
    }

    function skipRegex(code, at) {
        let inClass = false;
        for (at++; at < code.length && code[at] !== "\n"; at++) {
            if (code[at] === "\\") at++;
            else if (code[at] === "[") inClass = true;
            else if (code[at] === "]") inClass = false;
            else if (code[at] === "/" && !inClass) break;
        }
        return at + 1;
    }

    const blank = (text) => text.replace(/[^\n\r]/g, " ");
    const FROM = /^import(?:\s+|(?=[{*"']))(?:([\p{ID_Continue}$]+)\s*(?:,\s*)?)?(?:\*\s*as\s+([\p{ID_Continue}$]+)\s*|\{([^}]*)\}\s*)?(?:from\s*)?(["'])(.*?)\4(?:\s*(?:with|assert)\s*(\{[^}]*\}))?/u;

    function imported(found) {
        const [text, whole, all, some, , from, options] = found;
        const get = `await ${"\u00efmport"}(${stringify(from)}${options ? `,{with:${options}}` : ""})`;
        const names = (some || "").replace(/\/\*[^]*?\*\/|\/\/.*/g, "").split(",").map((s) => s.trim()).filter(Boolean)
            .map((s) => s.replace(/^(\S+)\s+as\s+/, "$1: "));
        if (whole) names.unshift(`default: ${whole}`);
        const lines = "\n".repeat(text.split("\n").length - 1);
        if (all) return `const ${all} = ${get}${whole ? `, {default: ${whole}} = ${all}` : ""}${lines}`;
        return (names.length ? `const {${names.join(", ")}} = ${get}` : get) + lines;
    }

    const EXPORT = /^export\s+(?:default\s+(?=function\b|class\b|async\b)|(?=const\b|let\b|var\b|function\b|class\b|async\b)|\{[^}]*\}(?!\s*from))/;

    // Called at the word `import` or `export`, which begins a statement at the top level if `top`. Returns its
    // replacement, and how much of the text that replaces.
    function reword(code, at, top) {
        const rest = code.slice(at);
        if (/^import\s*(?:\(|\.\s*meta\b)/.test(rest)) return ["\u00efmport", 6];
        const found = top && (FROM.exec(rest) || EXPORT.exec(rest));
        if (!found) return null;
        return [found[0][0] === "i" ? imported(found) : blank(found[0]), found[0].length];
    }

    function modules(code) {
        if (!/\b(?:import|export)\b/.test(code)) return code;
        return rewrite(code, (word, at, top, before) =>
            (word === "import" || word === "export") && before !== "." ? reword(code, at, top) : null);
    }

    // Reads the text only as far as needed to tell words from strings, comments and expressions in templates. `instead`
    // returns the replacement for a word, and for how much of the text; or null.
    function rewrite(code, instead) {
        let out = "", before = "", last = 0, depth = 0, fresh = true;
        const templates = [];
        const keep = (to) => {
            out += code.slice(last, to);
            last = to;
        };
        const template = (at) => {
            for (; at < code.length; at++) {
                if (code[at] === "\\") at++;
                else if (code[at] === "`") return at + 1;
                else if (code[at] === "$" && code[at + 1] === "{") {
                    templates.push(depth++);
                    before = "{";
                    return at + 2;
                }
            }
            return at;
        };
        for (let at = 0; at < code.length;) {
            const c = code[at], two = code.slice(at, at + 2);
            if (c === "\n" || c === "\r") fresh = true, at++;
            else if (c === " " || c === "\t") at++;
            else if (two === "//") at = (code.indexOf("\n", at) + 1 || code.length + 1) - 1;
            else if (two === "/*") at = (code.indexOf("*/", at + 2) + 1 || code.length) + 1;
            else if (c === '"' || c === "'") at = skipQuoted(code, at), before = "x", fresh = false;
            else if (c === "`") before = "x", at = template(at + 1), fresh = false;
            else if (c === "/" && BEFORE_REGEX.test(before)) at = skipRegex(code, at), before = "x", fresh = false;
            else if (c === "}" && templates.length && templates[templates.length - 1] === depth - 1) {
                templates.pop(), depth--;
                before = "x";
                at = template(at + 1);
            } else if (WORD.test(c)) {
                let end = at;
                while (end < code.length && WORD.test(code[end])) end++;
                const word = code.slice(at, end), top = depth === 0 && (fresh || before === ";" || before === "}");
                const new_ = instead(word, at, top, before);
                if (new_) {
                    keep(at);
                    out += new_[0];
                    last = at = at + new_[1];
                } else at = end;
                before = word, fresh = false;
            } else {
                if ("({[".includes(c)) depth++;
                else if (")}]".includes(c)) depth--;
                before = c, fresh = false, at++;
            }
        }
        keep(code.length);
        return out;
    }

    // ---- standard input ----

    // A file that is opened after 0 was closed gets that number.
    function replaceInput(bytes) {
        let path = "/dev/null";
        if (bytes) {
            path = `${require("os").tmpdir()}/.cell-input-${process.pid}`;
            fs.writeFileSync(path, bytes, { mode: 0o600 });
        }
        try {
            fs.closeSync(0);
        } catch { /* it was closed by a cell */ }
        fs.openSync(path, "r");
        if (bytes) fs.unlinkSync(path);
        let stream = null;
        Object.defineProperty(process, "stdin", {
            configurable: true, enumerable: true,
            get: () => (stream ??= Object.assign(new fs.ReadStream("", { fd: 0, autoClose: false }), { isTTY: false })),
        });
    }

    function openInput() {
        if (input) replaceInput(input.bytes);
        else if (hold.hadInput) replaceInput(null);
        hold.hadInput = input !== null;
        input = null;
    }

    // ---- variables, tools ----

    const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

    function evaluate(expression, replMode) {
        return ask("Runtime.evaluate", { expression, replMode, silent: true, objectGroup: "cell" });
    }

    // A name that cannot be assigned to is a constant; it is declared again.
    async function assign(name, value) {
        if (!NAME.test(name)) throw new SyntaxError(`'${name}' is not a name`);
        hold.next = value;
        const next = `${name} = globalThis[Symbol.for("glovebox.cells")].next`;
        const { exceptionDetails: failed } = evaluate(next, false);
        if (!failed) return;
        const { exceptionDetails: again } = await new Promise((done) =>
            inspector.post("Runtime.evaluate", { expression: `const ${next}; 0`, replMode: true, silent: true, objectGroup: "cell" },
                (_, answer) => done(answer)));
        if (again) throw fetch(again.exception);
    }

    async function set(id, bytes) {
        try {
            const values = decode(bytes.toString());
            const taken = Object.keys(values).find((name) => kept.has(name));
            if (taken) throw new Error(`'${taken}' is the name of a tool in this session`);
            for (const name of Object.keys(values)) await assign(name, values[name]);
            send("done", id, { ok: true, exception: null });
        } catch (e) {
            send("done", id, { ok: false, exception: safeException(e) });
        }
        hold.next = undefined;
        ask("Runtime.releaseObjectGroup", { objectGroup: "cell" });
    }

    const KEYWORDS = ("async await break case catch class const continue default delete do else export extends false finally " +
        "for function if import in instanceof let new null of return static super switch this throw true try typeof " +
        "undefined var void while yield").split(" ");

    function get(id, bytes) {
        const values = [], missing = [], failed = {};
        const wanted = parse(bytes.toString());
        const like = wanted.prefix === undefined ? [] : namesLike(wanted.prefix);
        const rows = wanted.list ? listVariables() : [];
        for (const name of wanted.names) {
            try {
                const answer = NAME.test(name) ? evaluate(name, false) : { exceptionDetails: true };
                if (answer.exceptionDetails) missing.push(name);
                else values.push(`${stringify(name)}:${encode(fetch(answer.result), limits.value)}`);
            } catch (e) {
                failed[name] = String(e.message).slice(0, 500);
            }
        }
        ask("Runtime.releaseObjectGroup", { objectGroup: "cell" });
        send("done", id, `{"ok":true,"values":{${values.join(",")}},"missing":${stringify(missing)},"failed":${stringify(failed)},"names":${stringify(like)},"variables":${stringify(rows)}}`);
    }

    // The names that cells made: no code of the program runs.
    function listVariables() {
        const own = Object.getOwnPropertyNames(globalThis).filter((name) => !given.has(name));
        const names = [...ask("Runtime.globalLexicalScopeNames", {}).names || [], ...own];
        return names.filter((name) => NAME.test(name) && name[0] !== "_" && !kept.has(name)).sort().slice(0, 1000).map((name) => {
            const property = Object.getOwnPropertyDescriptor(globalThis, name);
            const answer = property && !("value" in property) ? { exceptionDetails: true } : evaluate(name, false);
            if (answer.exceptionDetails) return { name, type: property ? "accessor" : "unknown", value: "" };
            return { name, type: kindOf(answer.result), value: shortValue(fetch(answer.result)) };
        });
    }

    function kindOf(result) {
        return String(result.className || result.subtype || result.type).slice(0, 80);
    }

    function shortValue(v) {
        const text = util.inspect(typeof v === "string" ? v.slice(0, 200) : v,
            { depth: 1, maxArrayLength: 10, maxStringLength: 100, breakLength: Infinity, customInspect: false, showProxy: true });
        const line = text.replace(/\s+/g, " ").slice(0, 200);
        return line.length <= 80 ? line : line.slice(0, 77) + "...";
    }

    // For completion. The program's own getters may do anything.
    function namesLike(prefix) {
        const path = prefix.split("."), last = path.pop(), all = new Set();
        if (!path.every((part) => NAME.test(part))) return [];
        if (!path.length) {
            for (const name of ask("Runtime.globalLexicalScopeNames", {}).names || []) all.add(name);
            for (const name of KEYWORDS) all.add(name);
        }
        const answer = evaluate(path.join(".") || "globalThis", false);
        for (let o = answer.exceptionDetails ? null : fetch(answer.result); o !== null && o !== undefined;) {
            o = Object(o);
            for (const name of Object.getOwnPropertyNames(o)) all.add(name);
            o = Object.getPrototypeOf(o);
        }
        const found = [...all].filter((name) => NAME.test(name) && name.startsWith(last) && (last[0] === "_" || name[0] !== "_"));
        return found.sort().slice(0, 1000).map((name) => [...path, name].join("."));
    }

    function errorOf({ type, message }) {
        const kind = { TypeError, RangeError, SyntaxError, ReferenceError }[type] || Error;
        const e = new kind(message);
        if (kind === Error) Object.defineProperty(e, "name", { value: String(type || "Error"), configurable: true, writable: true });
        return e;
    }

    function call(name, args) {
        let text;
        try {
            text = encode(args, limits.call);
        } catch (e) {
            throw new RangeError(`the arguments of ${name}() cannot be sent: ${e.message}`);
        }
        const id = ++calls;
        send("call", id, `{"name":${stringify(name)},"args":${text},"kwargs":{}}`);
        const answer = answerTo(id);
        if (answer.error) throw errorOf(answer.error);
        return answer.ok ?? null;
    }

    function define(name, value) {
        Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
    }

    // Names of the session: tools, final_answer().
    const kept = new Map();
    const given = new Set(); // names of the global object before the first cell

    function keep(name, value) {
        kept.set(name, value);
        define(name, value);
    }

    // Undoes the previous cell's change of such a name: an assignment or a declaration.
    async function restore(text) {
        for (const [name, value] of kept) {
            if (Object.getOwnPropertyDescriptor(globalThis, name)?.value !== value) define(name, value);
            if (text.includes(name) && evaluate(`${name} === globalThis[${stringify(name)}]`, false).result?.value !== true)
                await assign(name, value);
        }
    }

    function defineTool({ name, description }) {
        const tool = { [name]: (...args) => call(name, args) }[name];
        if (description) Object.defineProperty(tool, "description", { value: description });
        keep(name, tool);
    }

    function changeTools(id, bytes) {
        const change = parse(bytes.toString());
        for (const tool of change.add || []) defineTool(tool);
        for (const name of change.remove || []) {
            kept.delete(name);
            delete globalThis[name];
        }
        send("done", id, { ok: true, exception: null });
    }

    function hello(id, bytes) {
        const said = parse(bytes.toString());
        Object.assign(limits, said.limits);
        Object.assign(process.env, said.env);
        for (const tool of said.tools || []) defineTool(tool);
        if (said.final_answer) keep("final_answer", finalAnswer);
        let failed;
        try {
            if (said.folder) enter(said.folder);
        } catch (e) {
            failed = { type: "Error", message: e.message };
        }
        for (const name of said.preload || []) {
            try {
                require(name);
            } catch (e) {
                failed ??= { type: "Error", message: `preload of ${name}: ${e.message.split("\n")[0].slice(0, 500)}` };
            }
        }
        // Loads in advance the code for which the first cell would have to wait.
        process.stdout, process.stderr, show({}, 10);
        turn.runInThisContext({ breakOnSigint: false });
        for (const name of Object.getOwnPropertyNames(globalThis)) given.add(name);
        send("ready", 0, { language: "javascript", version: process.versions.node, ...(failed && { exception: failed }) });
    }

    // ---- the interrupt at any other time ----

    // When `breakOnSigint` begins or ends, SIGINT kills the process for a moment. This object, which it uses itself,
    // prevents that while it is held; an interrupt that finds nothing to stop is kept.
    const guard = (() => {
        try {
            const { startSigintWatchdog: start, stopSigintWatchdog: stop } = process.binding("contextify");
            return start && stop && { start, stop };
        } catch {
            return null;
        }
    })();
    let forget, early = false;

    // True if an interrupt waits; then it is taken.
    function isDue() {
        const due = early;
        early = false;
        if (!guard) return due;
        guard.start();
        return guard.stop() || due;
    }

    // ---- the interrupt of code that continues after an await ----

    // V8 can be stopped from another thread, which is started when a cell still runs after some time. It
    // then has the signal and asks here first: if the event loop runs, that is enough.
    const WATCHER = `
        const { workerData: state, parentPort } = require("worker_threads"), vm = require("vm");
        const session = new (require("inspector").Session)();
        session.connectToMainThread();
        globalThis.state = state;
        const sleep = new vm.Script("Atomics.wait(state, 0, 0)");
        // The main thread's processor time: it may not loop, but wait for the watcher, and must not be stopped then.
        const ticks = () => {
            try {
                const text = require("fs").readFileSync("/proc/self/task/" + process.pid + "/stat", "latin1");
                const words = text.slice(text.lastIndexOf(")")).split(" ");
                return Number(words[12]) + Number(words[13]);
            } catch {
                return 0;
            }
        };
        const stop = () => {
            const seen = Atomics.load(state, 1);
            parentPort.postMessage(0);
            const from = ticks();
            for (let n = 0; n < 20 && ticks() - from < 15; n++)
                if (Atomics.wait(state, 1, seen, 50) !== "timed-out") return;
            if (Atomics.load(state, 1) === seen) session.post("Runtime.terminateExecution");
        };
        globalThis.listen = () => {
            try {
                sleep.runInThisContext({ breakOnSigint: true });
            } catch {
                stop();
            }
        };
        // Not while the main thread handles it itself.
        while (Atomics.compareExchange(state, 2, 0, 2) === 1) Atomics.wait(state, 2, 1);
        // The outer script keeps the signal handled between one and the next.
        const always = new vm.Script("for (;;) listen()");
        for (;;) {
            try {
                always.runInThisContext({ breakOnSigint: true });
            } catch {
                stop();
            }
        }`;
    // The word to sleep on; the number of received signals; the signal's owner: none, main thread or watcher.
    const state = new Int32Array(new SharedArrayBuffer(12));
    let watcher = null;

    function watch() {
        if (watcher) return;
        watcher = new (require("worker_threads").Worker)(WATCHER, { eval: true, workerData: state, stdin: false });
        watcher.on("message", () => {
            Atomics.add(state, 1, 1);
            Atomics.notify(state, 1);
            if (running) interrupted();
            else early = true;
        });
        watcher.on("error", () => { });
        watcher.unref();
    }

    // ---- the loop ----

    hold.turn = () => { };
    const load = (from, options) => options ? import(from, options) : import(from);
    Object.defineProperty(load, "meta", {
        get: () => ({ url: require("url").pathToFileURL(`${process.cwd()}/cell`).href, dirname: process.cwd(), filename: `${process.cwd()}/cell` }),
    });
    define("\u00efmport", load);
    define("display", display);
    process.exit = exit;
    for (const event of Object.keys(LATE)) process.on(event, LATE[event]);
    process.on("SIGINT", () => running ? interrupted() : (early = true));
    guard?.start();

    const HANDLERS = { hello, exec, set, get, tools: changeTools, stdin: (id, bytes) => (input = { bytes }), folder: (id, bytes) => (folder = bytes.toString()), answer: () => { } };
    let busy = false;
    async function work() {
        if (busy) return;
        busy = true;
        while (queue.length) {
            const { kind, id, bytes } = queue.shift();
            if (HANDLERS[kind]) await HANDLERS[kind](id, bytes);
        }
        busy = false;
    }

    const { Socket } = require("net");
    const socket = new Socket({ fd: source, readable: true, writable: false });
    socket.on("data", (chunk) => {
        feed(chunk);
        work();
    });
    socket.on("end", () => leave(0));
    socket.on("error", () => leave(0));
})();
