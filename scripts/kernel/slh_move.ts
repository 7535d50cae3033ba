/** Moving hashes between rows (four words in a row) and lanes (four hashes side by side). */
import { LONG_INPUT, OUT } from "./layout.ts";
import { each, get, i32, load4, loop, store4, times } from "./wat.ts";

/** All functions of this file. */
export function slhMoveFunctions(): string {
  return `
  ;; place(row, lanes, lane): one row into one lane.
  (func $place (param $row i32) (param $lanes i32) (param $lane i32)
    (local.set $lanes (i32.add ${get("lanes")} (i32.shl ${get("lane")} ${i32(2)})))
    ${
    each(4, (i) =>
      `(i32.store offset=${16 * i} ${get("lanes")} (i32.load offset=${4 * i} ${get("row")}))`)
  })

  ;; take(lanes, lane, row): one lane into a row.
  (func $take (param $lanes i32) (param $lane i32) (param $row i32)
    (local.set $lanes (i32.add ${get("lanes")} (i32.shl ${get("lane")} ${i32(2)})))
    ${
    each(4, (i) =>
      `(i32.store offset=${4 * i} ${get("row")} (i32.load offset=${16 * i} ${get("lanes")}))`)
  })

  ;; gather(row, stride, lanes): four rows, stride bytes apart, into the four lanes.
  (func $gather (param $row i32) (param $stride i32) (param $lanes i32) (local $lane i32)
    ${
    loop(
      "lane",
      0,
      4,
      `(call $place ${get("row")} ${get("lanes")} ${get("lane")})
      (local.set $row (i32.add ${get("row")} ${get("stride")}))`,
    )
  })

  ;; scatter(lanes, row, stride): the four lanes into four rows.
  (func $scatter (param $lanes i32) (param $row i32) (param $stride i32) (local $lane i32)
    ${
    loop(
      "lane",
      0,
      4,
      `(call $take ${get("lanes")} ${get("lane")} ${get("row")})
      (local.set $row (i32.add ${get("row")} ${get("stride")}))`,
    )
  })

  ;; keep(lanes, mask): OUT into the lanes that the mask marks.
  (func $keep (param $lanes i32) (param $mask v128)
    ${
    each(4, (i) =>
      store4(
        get("lanes"),
        16 * i,
        `(v128.bitselect ${load4(i32(OUT), 16 * i)} ${load4(get("lanes"), 16 * i)} ${get("mask")})`,
      ))
  })

  ;; copy(lanes): OUT into these lanes.
  (func $copy (param $lanes i32)
    ${each(4, (i) => store4(get("lanes"), 16 * i, load4(i32(OUT), 16 * i)))})

  ;; spread(row, count): that many words from a row on into LONG_INPUT, the same in all lanes.
  (func $spread (param $row i32) (param $count i32) (local $i i32)
    ${
    loop(
      "i",
      0,
      get("count"),
      store4(
        times(get("i"), 16),
        LONG_INPUT,
        `(v128.load32_splat (i32.add ${get("row")} (i32.shl ${get("i")} ${i32(2)})))`,
      ),
    )
  })

  ;; swap(row, rows): rows into bytes and back.
  (func $swap (export "swap") (param $row i32) (param $rows i32) (local $v v128)
    (loop $each_row
      (local.set $v ${load4(get("row"))})
      ${
    store4(
      get("row"),
      0,
      `(i8x16.shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 ${get("v")} ${get("v")})`,
    )
  }
      (local.set $row (i32.add ${get("row")} ${i32(16)}))
      (local.set $rows (i32.add ${get("rows")} ${i32(-1)}))
      (br_if $each_row ${get("rows")})))`;
}
