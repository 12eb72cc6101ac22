// The pages' parts, as they are: a packaged chart library, and the pages themselves.
    .section .rodata
    .global wick_chart_js, wick_chart_js_end
    .global wick_compare_page, wick_compare_page_end, wick_compile_page, wick_compile_page_end
wick_chart_js:
    .incbin CHART_JS
wick_chart_js_end:
wick_compare_page:
    .incbin COMPARE_PAGE
wick_compare_page_end:
wick_compile_page:
    .incbin COMPILE_PAGE
wick_compile_page_end:
    .section .note.GNU-stack, "", %progbits
