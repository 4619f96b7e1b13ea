from visitor import *
def test_grid(serve, open_page):
    page = open_page(serve("/tmp/w/grid_app.py"))
    edit_cell(page, "grid", 1, 2, "7.5")
    assert "7.5" in page.locator(".stJson, [data-testid=stMarkdown]").first.inner_text()
    edit_cell(page, "grid", 0, 0, "x")
    edit_cell(page, "g9", 1, 1, "zz")
    assert cell_text(page, "g9", 1, 1) == "zz"
    paste_into_grid(page, "grid", 0, 1, "8\t9\n10\t11")
    page.wait_for_timeout(300)
    print(page.locator(".stJson, [data-testid=stMarkdown]").first.inner_text())
    assert cell_text(page, "grid", 1, 2) == "11"
    paste_text(page, "area", "hello")
    assert page.get_by_text("hello").count()
