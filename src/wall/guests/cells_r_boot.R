# SPDX-License-Identifier: Apache-2.0
local({ cells_in <- file("/proc/self/fd/3", "rb", raw = TRUE); head <- raw(); while (length(byte <- readBin(cells_in, "raw", 1L)) && byte != 10) head <- c(head, byte); text <- readBin(cells_in, "raw", as.integer(strsplit(rawToChar(head), " ")[[1L]][3L])); eval(parse(text = rawToChar(text), keep.source = FALSE), environment()) }, new.env(parent = baseenv()))
