"""x"""

from agon_engine.ephyran.view import View


def render_view(view: View) -> str:
    return f"{view.seat}"
