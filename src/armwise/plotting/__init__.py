"""General figures: style, layout, curves of regret, small multiples."""
