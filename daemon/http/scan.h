// SPDX-License-Identifier: MIT
// How the bytes of a head are told apart: classes of bytes, and the scanners that find the first
// byte outside of one. There are sets of scanners with the same results: Tables for any CPU, Sse2
// for those of amd64, and Avx2 for those of them that have it, which the caller must know
// (HasAvx2). Private to http/ and its tests.
//
// A scanner looks at [p, end) alone and returns `end` where it meets no other byte. Sse2 reads
// blocks of 16 bytes, the last of them aligned to `end`: 16 bytes before `end` must be readable,
// for Avx2 as well.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <immintrin.h>

#include <bit>
#endif

namespace quipd::http::scan {

enum Class : uint8_t {
  kToken = 1,   // tchar (RFC 9110 5.6.2)
  kValue = 2,   // of a field value (RFC 9110 5.5): no control but HTAB
  kTarget = 4,  // of a request target: visible ASCII but '#' and '%', which begins an escape
  kHost = 8,    // of a reg-name (RFC 3986 3.2.2) but ',' and '%'
  kDigit = 16,
  kHex = 32,
  kPlainHost = 64,  // letters, digits, '-', '.'
};

constexpr bool IsLetter(int byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }

constexpr uint8_t ClassesOf(int byte) {
  const bool digit = byte >= '0' && byte <= '9';
  const bool alphanumeric = byte < 0x80 && (digit || IsLetter(byte));
  const auto among = [byte](std::string_view set) {
    return byte < 0x80 && set.find(static_cast<char>(byte)) != std::string_view::npos;
  };
  int classes = 0;
  classes |= alphanumeric || among("!#$%&'*+-.^_`|~") ? kToken : 0;
  classes |= (byte >= 0x20 && byte != 0x7f) || byte == '\t' ? kValue : 0;
  classes |= byte > 0x20 && byte < 0x7f && byte != '#' && byte != '%' ? kTarget : 0;
  classes |= alphanumeric || among("-._~!$&'()*+;=") ? kHost : 0;
  classes |= digit ? kDigit : 0;
  classes |= digit || (alphanumeric && (byte | 0x20) <= 'f') ? kHex : 0;
  classes |= alphanumeric || among("-.") ? kPlainHost : 0;
  return static_cast<uint8_t>(classes);
}

inline constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int byte = 0; byte < 256; ++byte) {
    classes[static_cast<size_t>(byte)] = ClassesOf(byte);
  }
  return classes;
}();

inline bool Is(char byte, Class wanted) {
  return (kClasses[static_cast<uint8_t>(byte)] & wanted) != 0;
}

inline bool All(std::string_view text, Class wanted) {
  for (const char byte : text) {
    if (!Is(byte, wanted)) {
      return false;
    }
  }
  return true;
}

// A field line: where its name stops, and the first control byte of its value; `end` for the latter
// where the name doesn't stop at a colon.
struct Line {
  const char* name_end;
  const char* value_end;
};

template <typename Scan>
[[gnu::always_inline]] inline Line ReadLineInTwo(const char* p, const char* end) {
  const char* const name_end = Scan::NameEnd(p, end);
  if (name_end == end || *name_end != ':') return {name_end, end};
  return {name_end, Scan::ControlIn(name_end + 1, end)};
}

struct Tables {
  static Line ReadLine(const char* p, const char* end) { return ReadLineInTwo<Tables>(p, end); }

  // The first byte that can't stand in a token.
  static const char* NameEnd(const char* p, const char* end) {
    while (p != end && Is(*p, kToken)) {
      ++p;
    }
    return p;
  }

  // The first control byte: what may end a field value, or HTAB within it.
  static const char* ControlIn(const char* p, const char* end) {
    while (p != end && Is(*p, kValue) && *p != '\t') {
      ++p;
    }
    return p;
  }

  // The first byte that is no letter, digit, '-' or '.', of which most hosts are made.
  static const char* PlainHostEnd(const char* p, const char* end) {
    while (p != end && Is(*p, kPlainHost)) {
      ++p;
    }
    return p;
  }

  // Whether a ';' stands in [p, end). What goes on behind `end` up to `input_end` is readable.
  static bool HasSemicolon(const char* p, const char* end, const char* /*input_end*/) {
    return std::string_view(p, static_cast<size_t>(end - p)).find(';') != std::string_view::npos;
  }

  // The first '?' or byte that can't stand in a target unescaped. `dotted` is set where "//" or
  // "/." stands before it.
  static const char* PathEnd(const char* p, const char* end, bool* dotted) {
    bool slash = false;
    for (; p != end && Is(*p, kTarget) && *p != '?'; ++p) {
      *dotted = *dotted || (slash && (*p == '/' || *p == '.'));
      slash = *p == '/';
    }
    return p;
  }

  // The first byte that can't stand in a target unescaped.
  static const char* QueryEnd(const char* p, const char* end) {
    while (p != end && Is(*p, kTarget)) {
      ++p;
    }
    return p;
  }
};

#if defined(__SSE2__)

class Sse2 {
 public:
  [[gnu::always_inline]] static Line ReadLine(const char* p, const char* end) {
    return ReadLineInTwo<Sse2>(p, end);
  }

  static const char* NameEnd(const char* p, const char* end) {
    p = Find(p, end, [](Block x) { return 0xffff ^ Bits(Or(Letters(x), Equal(x, '-'))); });
    // The tokens beyond letters and '-' are rare enough for the tables.
    return p != end && *p != ':' && Is(*p, kToken) ? Tables::NameEnd(p, end) : p;
  }

  static const char* ControlIn(const char* p, const char* end) {
    return Find(p, end, [](Block x) { return Bits(Or(AtMost(x, 0x1f), Equal(x, 0x7f))); });
  }

  static const char* PlainHostEnd(const char* p, const char* end) {
    return Find(p, end, [](Block x) {
      const Block from_dash = _mm_sub_epi8(x, _mm_set1_epi8('-'));
      const Block digits = _mm_andnot_si128(Equal(x, '/'), AtMost(from_dash, '9' - '-'));
      return 0xffff ^ Bits(Or(Letters(x), digits));
    });
  }

  // By blocks from the end on, the last without what is before p.
  static bool HasSemicolon(const char* p, const char* end, const char* /*input_end*/) {
    for (end -= kBlock; end > p; end -= kBlock) {
      if (Bits(Equal(Load(end), ';')) != 0) return true;
    }
    return Bits(Equal(Load(end), ';')) >> (p - end) != 0;
  }

  [[gnu::always_inline]] static const char* PathEnd(const char* p, const char* end, bool* dotted) {
    unsigned slash = 0;  // 1 where the byte before p is a '/'
    for (const char* const last = end - kBlock; p <= last; p += kBlock) {
      const PathBits bits(Load(p));
      if (bits.stops != 0) {
        return PathStop(p, bits, slash, dotted);
      }
      *dotted = *dotted || (bits.slashes << 1 | slash) & bits.seconds;
      slash = bits.slashes >> (kBlock - 1);
    }
    const auto behind = static_cast<unsigned>(kBlock - (end - p));
    PathBits bits(Load(end - kBlock));
    bits.stops = bits.stops >> behind | 1U << (kBlock - behind);
    bits.slashes >>= behind;
    bits.seconds >>= behind;
    return PathStop(p, bits, slash, dotted);
  }

  static const char* QueryEnd(const char* p, const char* end) {
    return Find(p, end, [](Block x) { return Bits(OutsideTarget(x)); });
  }

 private:
  using Block = __m128i;
  static constexpr ptrdiff_t kBlock = sizeof(Block);

  // A bit for each byte of a block.
  struct PathBits {
    explicit PathBits(Block x)
        : stops(Bits(Or(OutsideTarget(x), Equal(x, '?')))),
          slashes(Bits(Equal(x, '/'))),
          seconds(Bits(Or(Equal(x, '/'), Equal(x, '.')))) {}

    unsigned stops;
    unsigned slashes;
    unsigned seconds;  // what makes a '/' before it uneven
  };

  static const char* PathStop(const char* p, const PathBits& bits, unsigned slash, bool* dotted) {
    const unsigned before_stop = (bits.stops - 1) & ~bits.stops;
    const unsigned pairs = (bits.slashes << 1 | slash) & bits.seconds;
    *dotted = *dotted || (pairs & before_stop) != 0;
    return p + std::countr_zero(bits.stops);
  }

  static Block Load(const char* p) {
    return _mm_loadu_si128(static_cast<const Block*>(static_cast<const void*>(p)));
  }
  static unsigned Bits(Block x) { return static_cast<unsigned>(_mm_movemask_epi8(x)); }
  static Block Or(Block a, Block b) { return _mm_or_si128(a, b); }
  static Block Equal(Block x, char byte) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(byte)); }
  static Block AtMost(Block x, char byte) {  // unsigned
    return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(byte)), x);
  }
  static Block Letters(Block x) {
    // 'a' to 'z' are moved to the 26 lowest signed values, as SSE2 compares signed bytes alone.
    const Block lower = Or(x, _mm_set1_epi8(0x20));
    const Block moved = _mm_add_epi8(lower, _mm_set1_epi8(static_cast<char>(0x80 - 'a')));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(-128 + 26)));
  }
  static Block OutsideTarget(Block x) {
    const Block low_or_high = _mm_cmplt_epi8(x, _mm_set1_epi8(0x21));  // signed: 80-FF as well
    return Or(Or(low_or_high, Equal(x, 0x7f)), Or(Equal(x, '#'), Equal(x, '%')));
  }

  // The first byte whose bit is set in `stops` of its block.
  template <typename Stops>
  static const char* Find(const char* p, const char* end, Stops stops) {
    for (const char* const last = end - kBlock; p <= last; p += kBlock) {
      if (const unsigned bits = stops(Load(p)); bits != 0) {
        return p + std::countr_zero(bits);
      }
    }
    // The rest of less than a block; bits beyond it stop as well.
    const auto behind = static_cast<unsigned>(kBlock - (end - p));
    const unsigned rest = 1U << (kBlock - behind);
    return p + std::countr_zero(stops(Load(end - kBlock)) >> behind | rest);
  }
};

#endif

#if defined(__SSE2__) && defined(__x86_64__)
#define QUIPD_SCAN_AVX2 1

[[nodiscard]] inline bool HasAvx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
}

// Most lines end within one block of 32 bytes, which tells of name and value together. These
// functions are compiled for AVX2 each by itself, so that nothing else of the program is.
class Avx2 : public Sse2 {
 public:
  [[gnu::target("avx2,bmi")]] static Line ReadLine(const char* p, const char* end) {
    if (end - p < kBlock) [[unlikely]] {
      return Sse2::ReadLine(p, end);
    }
    const __m256i block = Load(p);
    const char* const stop = p + std::countr_zero(~NameBytes(block));
    if (*stop != ':') [[unlikely]] {
      return Sse2::ReadLine(p, end);
    }
    // No byte of the name and no colon is a control: the first of the block is the value's.
    unsigned controls = Controls(block);
    while (controls == 0) {
      p += kBlock;
      if (end - p < kBlock) [[unlikely]] {
        return {stop, Sse2::ControlIn(p, end)};
      }
      controls = Controls(Load(p));
    }
    return {stop, p + std::countr_zero(controls)};
  }

  [[gnu::target("avx2,bmi")]] static bool HasSemicolon(const char* p, const char* end,
                                                       const char* input_end) {
    if (end - p > kBlock || input_end - p < kBlock) [[unlikely]] {
      return Sse2::HasSemicolon(p, end, input_end);
    }
    const __m256i equal = _mm256_cmpeq_epi8(Load(p), kBlocks.semicolon.Get());
    return std::countr_zero(static_cast<unsigned>(_mm256_movemask_epi8(equal))) < end - p;
  }

 private:
  static constexpr ptrdiff_t kBlock = sizeof(__m256i);

  [[gnu::target("avx2,bmi")]] static __m256i Load(const char* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(p)));
  }

  // Taken from memory as operands: compilers make such blocks anew for each line otherwise.
  struct alignas(sizeof(__m256i)) Filled {
    constexpr explicit Filled(int byte) { bytes.fill(static_cast<char>(byte)); }
    [[gnu::target("avx2,bmi")]] [[nodiscard]] __m256i Get() const {
      return _mm256_load_si256(static_cast<const __m256i*>(static_cast<const void*>(&bytes)));
    }
    std::array<char, sizeof(__m256i)> bytes{};
  };
  struct Blocks {
    Filled lower_bit{0x20};
    Filled to_lowest{0x80 - 'a'};
    Filled above_letters{-128 + 26};
    Filled dash{'-'};
    Filled semicolon{';'};
    Filled last_low{0x1f};
    Filled del{0x7f};
  };
  static const Blocks kBlocks;

  // A bit for each letter and each '-'; never all of them set, as a name of a whole block is left
  // to Sse2: the highest bit is cleared.
  [[gnu::target("avx2,bmi")]] static unsigned NameBytes(__m256i x) {
    const __m256i lower = _mm256_or_si256(x, kBlocks.lower_bit.Get());
    const __m256i moved = _mm256_add_epi8(lower, kBlocks.to_lowest.Get());
    const __m256i letters = _mm256_cmpgt_epi8(kBlocks.above_letters.Get(), moved);
    const __m256i dashes = _mm256_cmpeq_epi8(x, kBlocks.dash.Get());
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(letters, dashes)));
    return bits & 0x7fffffffU;
  }

  // A bit for each control byte.
  [[gnu::target("avx2,bmi")]] static unsigned Controls(__m256i x) {
    const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(x, kBlocks.last_low.Get()), x);
    const __m256i del = _mm256_cmpeq_epi8(x, kBlocks.del.Get());
    return static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(low, del)));
  }
};

inline const Avx2::Blocks Avx2::kBlocks;

#endif

}  // namespace quipd::http::scan
