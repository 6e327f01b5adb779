/** A hash function of 32-bit words: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4). */
export interface Algorithm {
  readonly blockBytes: number;
  readonly digestBytes: number;
  readonly isLittleEndian: boolean;
  readonly initial: readonly number[];
  /** Adds one block of the message to the state. */
  readonly compress: (state: Int32Array, bytes: Uint8Array, at: number) => void;
}

const PRIMES: readonly bigint[] = Array.from({ length: 410 }, (_, number) => number)
  .filter((number) => number > 1 && !hasDivisor(number))
  .map(BigInt);

function hasDivisor(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return true;
  return false;
}

/** The first 64 bits of the fraction of a root: the constants of SHA-2. */
function fractionOfRoot(number: bigint, degree: 2n | 3n): bigint {
  const wanted = number << (64n * degree);
  let root = 0n;
  for (let bit = 1n << 68n; bit > 0n; bit >>= 1n) if ((root | bit) ** degree <= wanted) root |= bit;
  return root & 0xffff_ffff_ffff_ffffn;
}

const highWord = (number: bigint): number => Number(number >> 32n) | 0;
const lowWord = (number: bigint): number => Number(number & 0xffff_ffffn) | 0;
const bothWords = (number: bigint): number[] => [highWord(number), lowWord(number)];

const ROUND_CONSTANTS = PRIMES.map((prime) => fractionOfRoot(prime, 3n));
const HIGH_CONSTANTS = Int32Array.from(ROUND_CONSTANTS, highWord);
const LOW_CONSTANTS = Int32Array.from(ROUND_CONSTANTS, lowWord);
const SQUARE_ROOTS = PRIMES.slice(0, 16).map((prime) => fractionOfRoot(prime, 2n));

const readWord = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);

const words = new Int32Array(80);

function compress256(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = readWord(bytes, at + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const x = words[t - 15] as number;
    const y = words[t - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[t] = (words[t - 16] as number) + s0 + (words[t - 7] as number) + s1;
  }
  // By index: a pattern would make an iterator for each block.
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < 64; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (HIGH_CONSTANTS[t] as number) + (words[t] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  addTo(state, [a, b, c, d, e, f, g, h]);
}

function addTo(state: Int32Array, added: readonly number[]): void {
  for (let index = 0; index < added.length; index += 1)
    state[index] = (state[index] as number) + (added[index] as number);
}

function compress1(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = readWord(bytes, at + 4 * t);
  for (let t = 16; t < 80; t += 1) {
    const x =
      (words[t - 3] as number) ^
      (words[t - 8] as number) ^
      (words[t - 14] as number) ^
      (words[t - 16] as number);
    words[t] = (x << 1) | (x >>> 31);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let t = 0; t < 80; t += 1) {
    const [mixed, constant] =
      t < 20
        ? [(b & c) | (~b & d), 0x5a827999]
        : t < 40
          ? [b ^ c ^ d, 0x6ed9eba1]
          : t < 60
            ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
            : [b ^ c ^ d, 0xca62c1d6];
    const next = (((a << 5) | (a >>> 27)) + mixed + e + constant + (words[t] as number)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  addTo(state, [a, b, c, d, e]);
}

const MD5_CONSTANTS = Int32Array.from({ length: 64 }, (_, t) => Math.abs(Math.sin(t + 1)) * 2 ** 32);
const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

function compressMd5(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t += 1) {
    const word = readWord(bytes, at + 4 * t);
    words[t] = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  }
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const round = t >> 4;
    const [mixed, index] =
      round === 0
        ? [(b & c) | (~b & d), t]
        : round === 1
          ? [(d & b) | (~d & c), 5 * t + 1]
          : round === 2
            ? [b ^ c ^ d, 3 * t + 5]
            : [c ^ (b | ~d), 7 * t];
    const sum = (a + mixed + (MD5_CONSTANTS[t] as number) + (words[index & 15] as number)) | 0;
    const shift = MD5_SHIFTS[round * 4 + (t & 3)] as number;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  addTo(state, [a, b, c, d]);
}

const highs = new Int32Array(80);
const lows = new Int32Array(80);
/** What a sum of low words carries to the high words. */
const carryOf = (sum: number): number => Math.floor(sum / 2 ** 32);

/** 64-bit words as two of 32 bits each. */
function compress512(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t += 1) {
    highs[t] = readWord(bytes, at + 8 * t);
    lows[t] = readWord(bytes, at + 8 * t + 4);
  }
  for (let t = 16; t < 80; t += 1) {
    const [xh, xl] = [highs[t - 15] as number, lows[t - 15] as number];
    const [yh, yl] = [highs[t - 2] as number, lows[t - 2] as number];
    const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7);
    const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25));
    const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6);
    const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26));
    const low =
      (s0l >>> 0) + (s1l >>> 0) + ((lows[t - 7] as number) >>> 0) + ((lows[t - 16] as number) >>> 0);
    lows[t] = low;
    highs[t] = s0h + s1h + (highs[t - 7] as number) + (highs[t - 16] as number) + carryOf(low);
  }
  const v = Array.from(state);
  for (let t = 0; t < 80; t += 1) {
    const [ah = 0, al = 0, bh = 0, bl = 0, ch = 0, cl = 0, dh = 0, dl = 0] = v;
    const [eh = 0, el = 0, fh = 0, fl = 0, gh = 0, gl = 0, hh = 0, hl = 0] = v.slice(8);
    const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23));
    const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23));
    const oneLow =
      (hl >>> 0) +
      (s1l >>> 0) +
      (((el & fl) ^ (~el & gl)) >>> 0) +
      ((LOW_CONSTANTS[t] as number) >>> 0) +
      ((lows[t] as number) >>> 0);
    const oneHigh =
      (hh +
        s1h +
        ((eh & fh) ^ (~eh & gh)) +
        (HIGH_CONSTANTS[t] as number) +
        (highs[t] as number) +
        carryOf(oneLow)) |
      0;
    const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25));
    const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25));
    const twoLow = (s0l >>> 0) + (((al & bl) ^ (al & cl) ^ (bl & cl)) >>> 0);
    const twoHigh = (s0h + ((ah & bh) ^ (ah & ch) ^ (bh & ch)) + carryOf(twoLow)) | 0;
    const aLow = (oneLow >>> 0) + (twoLow >>> 0);
    const eLow = (dl >>> 0) + (oneLow >>> 0);
    v.length = 14;
    v.unshift((oneHigh + twoHigh + carryOf(aLow)) | 0, aLow | 0);
    v[8] = (dh + oneHigh + carryOf(eLow)) | 0;
    v[9] = eLow | 0;
  }
  for (let at = 0; at < 16; at += 2) {
    const low = ((state[at + 1] as number) >>> 0) + ((v[at + 1] as number) >>> 0);
    state[at + 1] = low;
    state[at] = (state[at] as number) + (v[at] as number) + carryOf(low);
  }
}

/** MD5 and SHA-1 begin with the digits up and down. */
const COUNTING = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

const sha512 = { blockBytes: 128, isLittleEndian: false, compress: compress512 };

export const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  md5: {
    blockBytes: 64,
    digestBytes: 16,
    isLittleEndian: true,
    initial: COUNTING.slice(0, 4),
    compress: compressMd5,
  },
  sha1: { blockBytes: 64, digestBytes: 20, isLittleEndian: false, initial: COUNTING, compress: compress1 },
  sha256: {
    ...{ blockBytes: 64, digestBytes: 32, isLittleEndian: false, compress: compress256 },
    initial: SQUARE_ROOTS.slice(0, 8).map(highWord),
  },
  sha384: { ...sha512, digestBytes: 48, initial: SQUARE_ROOTS.slice(8).flatMap(bothWords) },
  sha512: { ...sha512, digestBytes: 64, initial: SQUARE_ROOTS.slice(0, 8).flatMap(bothWords) },
};
