"""Figures for anybody: style, panels, curves of regret, small multiples."""
