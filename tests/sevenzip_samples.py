"""7z archives that libarchive 3.6 wrote, each with one compression, and a writer of others.

Each of `WRITTEN` holds `FILES` in one solid block, and a file without a byte.
"""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass, field

FILES = {
    "letters/gas.txt": b"Dear all, the gas bill of March is 84.20 euros. " * 3,
    "Überblick.txt": "höher\n".encode() * 2,
}
_PACKED = {
    "lzma1": (
        "H+sCUCma9+^OAk}&j0`b00000A^-"
        "pY00000p3>8N03sPkCsP_3zsRBFPX@tN$KBu7>xeBR^0jIswEU~)VT!K8=H7Ko65YyB@hIqgXklYCjxP^4?5@cnD-"
        "78q|NpIJfB*mhfinlL57IzqeL%pF(?i7J`RK9$St&M(Ifq%_$Lh6;1%RMZpzPHwx`_jJaj_H#KFw%06PAgVIF$OI(7"
        "-0A1lm*d_LkctIUQ2atueSZr5!h5vW76bGVz{u0k<4B5UM%)R%n`a;1;8DvQrWK#w5~qv*I@7h^tuEH^17_B>(@rZe"
        "Rcx21Wr1fQbMH3jqKDBLe{e1zi9DfB+1D#tH%4sBr=S00"
    ),
    "lzma2": (
        "H+sCUCma9+(!JCV%>V!Z000008~^|S000005;^w9-~gQfKV1MK8AvBn8X3RHq2x~n!BxlI-"
        "`4AhEhO@_Y9qA#tL9;fuEOTtbxac7%24qr=zM5lV>FI04>#<t$ssCXWdH!+0KWi!T>t=qGY75@(oIgiK){gF|8$}Fa"
        "p}pHW=bPB_3P?FowP<*b5*+;d>w#HQzX&32hU}*A7gynBC7@*<12i^VABP+A6%<cb_<!qcZt2q-"
        "gB|wbn_x|=Z<f#K1=6v=k^B4+T@N0%~P;|@^HUGGFbcy=s)~=3h!8TumAu602c;F0SSPH00#>J00AK(0Tv8^zzPBA{"
        "dNxk00"
    ),
    "deflate": (
        "H+sCUCma9+iKFsh!2kdN00000A^-"
        "pY00000wnlwGb4g7sQb^3n(NQSLNL5HrELKR$%*j#6PgC$sEK1H$$ShW{FwrwIP)IE;$}iSaaG|mKjKkY9Qj55t6aW"
        "AKfinlL57E@O2%wOlazoTvsIN@bHRf~>=_d>Z77`M8QtKY;5J=h-I?;M)`T#+_kF7J;M1vD-By7sTo<M+f`2Mgy>*c"
        "4DSHrM+Fi&IXwHvIk(xVPRl=o|Lf%4p@N(S90qZ;A7tSVFze#H4eJ+MEOOX4kp&P%gp|L1%-"
        "02c;60SSPE00#>J00AQd0RaVF004jh41mB20k`f;pa1{"
    ),
    "bzip2": (
        "H+sCUCma9+<Tk#9_5c6?00000A^-pY00000kHt6<LRx4xF+o`-Q(5BNG4lWb8r_Tl5I_Y~Km-Ci<emTl00;me0AP>R"
        "N_w7<)5z4*&_O@|0h1#Ux{-"
        "9#cwJ4HW|JjVWU|XjA~S0Gn?;vOCfz0+I*)z$Nwhg~nyq4R=|^Q*DE%5o@pmLsg$WKV!yhmJ0D&_Ht`F3O4#h$h_OC"
        "0;cJ@<%Z&kY0rw)1JbS-<eNn9X+e=$l%2(fk)RJ$=jG>M-zv+}`dV+{-p&4=5<Z;za-_W9Hc6QvM6H8G-"
        "4DAJk2i64#_xhc5#5Pw(Un=1Ng0zsNIE<$HYEMsm9w$(qJ`lJ#u4fY3FkN?8HfB+W;a{&o}g8&B$0RRCb0|5aAT>t="
        "p01SY@3IROWns@*J"
    ),
    "store": (
        "H+sCUCma9+n;X`Lo&W#<00000zW@LL00000-0||sL}g)eAYp85EFg4fWgur^b0A`AY-"
        "}KJW*|*ra${&9X>%YrG%hkQAZ2xOZ*wjnL}g)eAYp85EFg4fWgur^b0A`AY-"
        "}KJW*|*ra${&9X>%YrG%hkQAZ2xOZ*wjnL}g)eAYp85EFg4fWgur^b0A`AY-"
        "}KJW*|*ra${&9X>%YrG%hkQAZ2xOZ*wjnXv4N>WpWB=!?tK;atZ+i1^@yHfRGLV2MYoK0RaF30RRkukPZL{3IWk)@h"
        "KfNeL4UD1p^KNAP)h65n%vq0A&Dl0CWIl0CE6x051S%0AT=g04@M@0C)g&0002o0Ac`T0CE6g0Bith0Am1a04@M@0C"
        ")g&0001N0A&Dl0CWIl0CE6x051S#0Brzp0CWI(04@M@0C)g&0000K8UX+R0By!c7uo>;0By!c7uo>;0By!c7uo?84g"
        "mllfTV#SfTV#SfTV!{00"
    ),
    "ppmd": (
        "H+sCUCma9+RsT>6!T<mO00000A^-"
        "pY00000BS<tD07N4>`6wV=Qq9$1Zsnes6bn!c<Fk0TqFkD$nSkZjWBg9t%f8eT%|V~g-u(gJ-Fd}PRw*wP(EtDdfin"
        "lL57C${7@&}#cd-8Y{ZZ^YU58a-"
        "*p9SMU#V_u<U0WR&5&UCAl9|gypK44Da`pMd>a4bp3iT2Byemjie7A%j}_8g8%#dq{ptS<!w75~9wLnDDDsR<Cv7CE"
        "2)|I1TVgd$0Cbl;pr}MJLicZI`TL>`j}ag+#+BKJB>&3FfB+W;IsplQhyVu*0RRCb0|5aAT>t=p01SY}3IU@s&@KP~"
    ),
}
WRITTEN = {name: base64.b85decode(packed) for name, packed in _PACKED.items()}

COPY, LZMA1, LZMA2, DELTA, X86 = b"\0", b"\3\1\1", b"\x21", b"\3", b"\3\3\1\3"
PPMD, AES = b"\3\4\1", b"\6\xf1\7\1"


@dataclass
class Block:
    """A packed stream: its coders, each fed by the next one, with properties, and its files.

    `claims` are sizes that the header says instead of the files'.
    """

    files: dict[str, bytes]
    packed: bytes
    coders: list[tuple[bytes, bytes]] = field(default_factory=lambda: [(COPY, b"")])
    claims: list[int] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        return self.claims or [len(data) for data in self.files.values()]


def number(value: int) -> bytes:
    """A number as a header has it, in the longest form."""
    return b"\xff" + value.to_bytes(8, "little")


def written(*blocks: Block, modes: tuple[int, ...] = ()) -> bytes:
    """An archive of blocks, whose header is not packed; `modes` are those of its files."""
    names = [name for block in blocks for name in block.files]
    body = b"".join(block.packed for block in blocks)
    text = b"\0" + "".join(f"{name}\0" for name in names).encode("utf-16-le")
    header = b"\1\4" + streams(*blocks) + b"\5" + number(len(names))
    header += b"\x11" + number(len(text)) + text
    if modes:
        bits = b"\1\0" + b"".join(struct.pack("<I", mode << 16 | 0x8000) for mode in modes)
        header += b"\x15" + number(len(bits)) + bits
    return sealed(body, header + b"\0\0")


def streams(*blocks: Block) -> bytes:
    """What a header says of packed streams."""
    sizes = b"".join(number(len(block.packed)) for block in blocks)
    out = b"\6" + number(0) + number(len(blocks)) + b"\x09" + sizes + b"\0"
    out += b"\7\x0b" + number(len(blocks)) + b"\0" + b"".join(map(_coders, blocks)) + b"\x0c"
    out += b"".join(number(sum(block.sizes)) for block in blocks for _ in block.coders) + b"\0"
    out += b"\x08\x0d" + b"".join(number(len(block.files)) for block in blocks) + b"\x09"
    out += b"".join(number(size) for block in blocks for size in block.sizes[:-1]) + b"\x0a\1"
    crcs = [zlib.crc32(data) for block in blocks for data in block.files.values()]
    return out + struct.pack(f"<{len(crcs)}I", *crcs) + b"\0\0"


def _coders(block: Block) -> bytes:
    out = number(len(block.coders))
    for method, given in block.coders:
        out += bytes((0x20 | len(method),)) + method + number(len(given)) + given
    return out + b"".join(number(n) + number(n + 1) for n in range(len(block.coders) - 1))


def sealed(body: bytes, header: bytes) -> bytes:
    """An archive of this body and header, with the right CRCs."""
    start = struct.pack("<QQI", len(body), len(header), zlib.crc32(header))
    crc = struct.pack("<I", zlib.crc32(start))
    return b"7z\xbc\xaf\x27\x1c\0\4" + crc + start + body + header
