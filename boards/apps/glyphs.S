// The digits that the demo shows, as the text files that they are drawn in, one after the other.
  .section .rodata.wick_glyphs, "a"
  .global wick_glyphs
wick_glyphs:
  .incbin "0.txt"
  .incbin "1.txt"
  .incbin "4.txt"
  .incbin "7.txt"
